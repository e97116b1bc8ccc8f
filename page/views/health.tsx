import { useState } from 'preact/hooks';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Feeders } from '../parts/feeders.js';
import { Scroll } from '../parts/scroll.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { minute, number, seconds } from '../words.js';

const PAGE = 50;

type Run = Answer<'listRuns'>['runs'][number];

/** What the programs did, and what doctor finds. */
export function Health({ place }: { place: Place }) {
  const offset = Number(place.offset ?? 0);
  const runs = useAnswer<'listRuns'>('/list/runs', { limit: PAGE, offset });
  return (
    <>
      <h1>Runs and health</h1>
      <Doctor />
      <Feeders />
      <Settings />
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        <Shown asked={runs}>
          {({ runs }) => (
            <>
              <Runs runs={runs} />
              <p class="pages">
                <button
                  type="button"
                  disabled={offset === 0}
                  onClick={() => goTo({ view: 'health', offset: String(Math.max(0, offset - PAGE)) })}
                >
                  Later runs
                </button>
                <button
                  type="button"
                  disabled={runs.length < PAGE}
                  onClick={() => goTo({ view: 'health', offset: String(offset + PAGE) })}
                >
                  Earlier runs
                </button>
              </p>
            </>
          )}
        </Shown>
      </section>
    </>
  );
}

/** With the origin of each. */
function Settings() {
  const config = useAnswer<'config'>('/config');
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Shown asked={config}>
        {({ file, settings, origins }) => (
          <details class="why">
            <summary dir="auto">
              {file.path}
              {file.exists ? '' : ' does not exist: all settings are the usual ones'}
            </summary>
            <table>
              <tbody>
                {Object.entries(origins).map(([name, origin]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td dir="auto">{shownValue(name.split('.').reduce(within, settings))}</td>
                    <td class="quiet" dir="auto">
                      {origin}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        )}
      </Shown>
    </section>
  );
}

const within = (value: unknown, name: string): unknown => Object(value)[name];

const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** It takes seconds, so it is asked for. */
function Doctor() {
  const [isAsked, ask] = useState(false);
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
            {failures} failed, {warnings} warnings, {ok} ok
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

function Runs({ runs }: { runs: readonly Run[] }) {
  if (runs.length === 0) return <p class="quiet">The palace has no runs yet.</p>;
  return (
    <Scroll name="Runs" way="across">
      <table>
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Command</th>
            <th scope="col">Result</th>
            <th scope="col" class="right">
              Time
            </th>
            <th scope="col" class="right">
              New
            </th>
            <th scope="col" class="right">
              Changed
            </th>
            <th scope="col" class="right">
              Drawers
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} class={run.exit_code === 0 || run.running ? undefined : 'past'}>
              <td>{minute(run.started)}</td>
              <th scope="row" dir="auto">
                {run.command}
              </th>
              <td>{resultOf(run)}</td>
              <td class="right">{run.seconds === null ? '' : seconds(run.seconds)}</td>
              <td class="right">{run.new === null ? '' : number(run.new)}</td>
              <td class="right">{run.changed === null ? '' : number(run.changed)}</td>
              <td class="right">{run.drawers_added === null ? '' : number(run.drawers_added)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function resultOf({ exit_code, running }: Run): string {
  if (exit_code === null) return running ? 'running' : 'did not end';
  if (exit_code === 0) return 'done';
  return exit_code === 3 ? 'done, except for some sources' : `exit ${exit_code}`;
}
