import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Doctor } from '../parts/doctor.js';
import { Feeders } from '../parts/feeders.js';
import { Log } from '../parts/log.js';
import { Schedules } from '../parts/schedules.js';
import { Scroll } from '../parts/scroll.js';
import { Settings } from '../parts/settings.js';
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
      <Schedules />
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
      <Log />
      <Settings />
    </>
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
