import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { CheckpointLine } from '../parts/checkpoint-line.js';
import { Flag } from '../parts/choice.js';
import { Doctor } from '../parts/doctor.js';
import { Feeders } from '../parts/feeders.js';
import { Link } from '../parts/link.js';
import { Log } from '../parts/log.js';
import { Schedules } from '../parts/schedules.js';
import { Scroll } from '../parts/scroll.js';
import { Settings } from '../parts/settings.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { minute, number, seconds } from '../words.js';

const PAGE = 50;
/** The last runs that are not short writes, which are not paged. */
const LAST = 20;
const CHECKPOINTS = 5;

type Run = Answer<'listRuns'>['runs'][number];

/** What the programs did, and what doctor finds. */
export function Health({ place }: { place: Place }) {
  const isAll = place.runs === 'all';
  return (
    <>
      <h1>Health</h1>
      <Doctor asked={place.doctor === 'ask'} />
      <Feeders />
      <Schedules />
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        <div class="chips">
          <Flag
            name="all runs"
            on={isAll}
            onChoice={(on) => goTo({ view: 'health', runs: on ? 'all' : '' })}
          />
        </div>
        {isAll ? <AllRuns offset={Number(place.offset ?? 0)} /> : <LastRuns />}
      </section>
      <LastCheckpoints />
      <Log />
      <Settings />
    </>
  );
}

/** Without short writes, such as a fact or an entry of a diary: they would hide the others. */
function LastRuns() {
  const status = useAnswer<'status'>('/status', { runs: LAST });
  return <Shown asked={status}>{({ runs }) => <Runs runs={runs} />}</Shown>;
}

function AllRuns({ offset }: { offset: number }) {
  const runs = useAnswer<'listRuns'>('/list/runs', { limit: PAGE, offset });
  const turn = (offset: number): void => goTo({ view: 'health', runs: 'all', offset: String(offset) });
  return (
    <Shown asked={runs}>
      {({ runs }) => (
        <>
          <Runs runs={runs} />
          <p class="pages">
            <button type="button" disabled={offset === 0} onClick={() => turn(Math.max(0, offset - PAGE))}>
              Later runs
            </button>
            <button type="button" disabled={runs.length < PAGE} onClick={() => turn(offset + PAGE)}>
              Earlier runs
            </button>
          </p>
        </>
      )}
    </Shown>
  );
}

function LastCheckpoints() {
  const found = useAnswer<'checkpointList'>('/checkpoint/list', { limit: CHECKPOINTS });
  return (
    <section aria-labelledby="checkpoints">
      <h2 id="checkpoints">Last compactions and checkpoints</h2>
      <Shown asked={found}>
        {({ checkpoints, total }) => (
          <>
            <ul class="rows">
              {checkpoints.map((checkpoint) => (
                <li key={checkpoint.checkpoint_id}>
                  <CheckpointLine checkpoint={checkpoint} />
                </li>
              ))}
            </ul>
            <p>
              {total === 0 && <span class="quiet">There are no checkpoints. </span>}
              <Link to={{ view: 'checkpoints' }}>Checkpoints</Link>
            </p>
          </>
        )}
      </Shown>
    </section>
  );
}

function Runs({ runs }: { runs: readonly Run[] }) {
  if (runs.length === 0) return <p class="quiet">The palace has no runs yet.</p>;
  return (
    <Scroll name="Runs" way="across">
      <table>
        <thead>
          <tr>
            <th scope="col" class="right">
              No.
            </th>
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
            <td />
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} class={run.exit_code === 0 || run.running ? undefined : 'past'}>
              <td class="right">{run.id}</td>
              <td>{minute(run.started)}</td>
              <th scope="row" dir="auto">
                {run.command}
              </th>
              <td>{resultOf(run)}</td>
              <td class="right">{run.seconds === null ? '' : seconds(run.seconds)}</td>
              <td class="right">{run.new === null ? '' : number(run.new)}</td>
              <td class="right">{run.changed === null ? '' : number(run.changed)}</td>
              <td class="right">{run.drawers_added === null ? '' : number(run.drawers_added)}</td>
              <td class="right">
                {(run.new ?? 0) + (run.changed ?? 0) > 0 && (
                  <Link to={{ view: 'forget', run: String(run.id) }}>Forget…</Link>
                )}
              </td>
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
