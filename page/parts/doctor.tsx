import { useState } from 'preact/hooks';
import { useAnswer } from '../ask.js';
import { counted, number } from '../words.js';
import { Shown } from './state.js';

/** It takes seconds, so it is asked for. */
export function Doctor({ asked }: { asked: boolean }) {
  const [isAsked, ask] = useState(asked);
  return (
    <section aria-labelledby="doctor">
      <h2 id="doctor">Doctor</h2>
      {isAsked ? (
        <Findings />
      ) : (
        <button type="button" onClick={() => ask(true)}>
          Examine the installation and the palace
        </button>
      )}
    </section>
  );
}

const MARKS = { ok: '✓', warn: '!', fail: '✗' };

function Findings() {
  const doctor = useAnswer<'doctor'>('/doctor');
  return (
    <Shown asked={doctor}>
      {({ findings, failures, warnings, ok }) => (
        <>
          <p role="status">
            {number(failures)} failed, {counted(warnings, 'warning')}, {number(ok)} ok
          </p>
          <ul class="findings">
            {findings.map(({ status, label, detail, next }) => (
              <li key={label + detail} class={status}>
                <span class="mark" role="img" aria-label={status}>
                  {MARKS[status]}
                </span>
                <div>
                  <strong dir="auto">{label}</strong> <span dir="auto">{detail}</span>
                  {next !== null && <p dir="auto">→ {next}</p>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Shown>
  );
}
