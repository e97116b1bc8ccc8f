import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { useLive } from '../live.js';
import { Attention, pointsOf } from '../parts/attention.js';
import { Calendar } from '../parts/calendar.js';
import { Feeders } from '../parts/feeders.js';
import { Growth } from '../parts/growth.js';
import { Link } from '../parts/link.js';
import { Trouble } from '../parts/state.js';
import { Work } from '../parts/work.js';
import { goTo, type Place } from '../place.js';
import { bytes, counted, minute, noun, number } from '../words.js';

type Status = Answer<'status'>;

const RUNS = 1000;

/** First what was worked on, then what needs attention; what the store contains at the end. */
export function Home({ place }: { place: Place }) {
  const status = useAnswer<'status'>('/status', { runs: 20 });
  // What the palace contains is shown first; the rest does not delay it.
  const isShown = status.answer !== undefined;
  const runs = useAnswer<'listRuns'>('/list/runs', isShown ? { limit: RUNS } : null);
  const facts = useAnswer<'kgStats'>('/kg/stats', isShown ? {} : null);
  const points =
    status.answer === undefined
      ? []
      : pointsOf({
          status: status.answer,
          conflicts: facts.answer?.conflicts.length ?? 0,
          runs: runs.answer?.runs ?? [],
        });
  return (
    <>
      <h1 class="unseen">Home</h1>
      <Question />
      <p class="status quiet">
        {points.length > 0 && <a href="#attention">{counted(points.length, 'point')} to look at</a>}
        <Connected />
      </p>
      {status.error !== undefined && <Trouble error={status.error} />}
      {status.answer?.sources === 0 ? <Beginning /> : <Work tasks={status.answer?.tasks} />}
      {status.answer !== undefined && (
        <>
          <Attention points={points} />
          <Totals status={status.answer} facts={facts.answer} />
          {runs.answer !== undefined && <Growth runs={runs.answer.runs} drawers={status.answer.drawers} />}
          {status.answer.drawers > 0 && (
            <Calendar
              wing={place.wing ?? ''}
              wings={status.answer.wings.map(({ wing }) => wing)}
              onWing={(wing) => goTo({ view: 'home', wing }, 'replace')}
            />
          )}
          <Wings status={status.answer} />
        </>
      )}
    </>
  );
}

/** The first key leads to Search, whose field takes the following ones. */
function Question() {
  const ask = (q: string): void => {
    if (q.trim() === '') return;
    goTo({ view: 'search', q });
    // The view is rendered in a microtask before this one.
    queueMicrotask(() => {
      const field = document.querySelector<HTMLInputElement>('search input');
      field?.focus();
      field?.setSelectionRange(q.length, q.length);
    });
  };
  return (
    <search class="first">
      <input
        type="search"
        aria-label="Search the palace"
        placeholder="Search in your own words, or “exact words”"
        aria-keyshortcuts="/"
        dir="auto"
        onInput={(event) => event.isComposing || ask(event.currentTarget.value)}
        onCompositionEnd={(event) => ask(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </search>
  );
}

function Connected() {
  const connections = useLive('connections');
  if (connections === undefined || connections.agents.length === 0) return null;
  return (
    <span dir="auto">
      Connected:{' '}
      {connections.agents.map(({ agent, since }) => `${agent} (since ${minute(since)})`).join(', ')}
    </span>
  );
}

function Totals({ status, facts }: { status: Status; facts: Answer<'kgStats'> | undefined }) {
  const figures: [string, string][] = [
    [number(status.sources), 'documents and sessions'],
    [number(status.drawers), noun(status.drawers, 'passage')],
    [facts === undefined ? '…' : number(facts.current_facts), 'facts that hold now'],
    [bytes(status.bytes), 'on this disk'],
  ];
  return (
    <section aria-labelledby="store">
      <h2 id="store">What is stored</h2>
      <dl class="figures">
        {figures.map(([value, name]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What fills an empty palace. */
function Beginning() {
  return (
    <>
      <div class="beginning">
        <p>
          The palace is empty. Run <code>mempalace setup</code> in a terminal: it connects your agents, and
          files their sessions and the project of its folder.
        </p>
        <p>
          Documents of another project: <code>mempalace-docs &lt;folder&gt;</code>. What is filed appears here
          by itself.
        </p>
      </div>
      <Feeders />
    </>
  );
}

function Wings({ status }: { status: Status }) {
  if (status.wings.length === 0) return null;
  const most = Math.max(1, ...status.wings.map(({ drawers }) => drawers));
  return (
    <section aria-labelledby="wings">
      <h2 id="wings">Wings</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Wing</th>
            <th scope="col" class="right">
              Documents and sessions
            </th>
            <th scope="col" class="right">
              Passages
            </th>
            <th scope="col" class="wide-only">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {status.wings.map(({ wing, sources, drawers }) => (
            <tr key={wing}>
              <th scope="row">
                <Link to={{ view: 'sources', wing }} dir="auto">
                  {wing}
                </Link>
              </th>
              <td class="right">{number(sources)}</td>
              <td class="right">{number(drawers)}</td>
              <td class="wide-only">
                <meter min={0} max={most} value={drawers} aria-label={`${drawers} of ${most} passages`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        {status.palace} · last run {status.runs[0] === undefined ? 'never' : minute(status.runs[0].started)}
      </p>
    </section>
  );
}
