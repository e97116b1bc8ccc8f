import { useState } from 'preact/hooks';
import { useAnswer } from '../ask.js';
import { minute } from '../words.js';
import { Choice } from './choice.js';
import { Scroll } from './scroll.js';
import { Shown } from './state.js';

const LINES = 100;
const LEVELS = ['error', 'warn', 'info'];

/** The last lines of the logs; asked for once it is opened. */
export function Log() {
  const [isOpen, open] = useState(false);
  return (
    <section aria-labelledby="log">
      <h2 id="log">Log</h2>
      <details class="disclosure" onToggle={(event) => open(event.currentTarget.open)}>
        <summary>What brokers and background runs said, and what agents and the page changed</summary>
        {isOpen && <Lines />}
      </details>
    </section>
  );
}

function Lines() {
  const [of, setOf] = useState('');
  const [level, setLevel] = useState('');
  const log = useAnswer<'log'>('/log', { of, level, limit: LINES });
  return (
    <>
      <div class="chips">
        <Choice name="log" value={of} all={log.answer?.logs.map(({ log }) => log) ?? []} onChoice={setOf} />
        <Choice name="at least" value={level} all={LEVELS} onChoice={setLevel} />
      </div>
      <Shown asked={log}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p class="quiet">There are no such lines.</p>
          ) : (
            <Scroll name="Lines of the logs, newest first" way="down">
              <ol class="log">
                {entries.map(({ log, time, level, by, text }, index) => (
                  <li key={index} class={level}>
                    <span class="quiet">
                      {minute(time)} {level} {log}
                    </span>{' '}
                    <span dir="auto">
                      {by}: {text}
                    </span>
                  </li>
                ))}
              </ol>
            </Scroll>
          )
        }
      </Shown>
    </>
  );
}
