import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { useLive } from '../live.js';
import { Calendar } from '../parts/calendar.js';
import { Feeders } from '../parts/feeders.js';
import { Growth } from '../parts/growth.js';
import { Link, toSource } from '../parts/link.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { bytes, counted, minute, nameOf, noun, number } from '../words.js';

type Status = Answer<'status'>;
type Run = Answer<'listRuns'>['runs'][number];

const LAST = 8;
const RUNS = 1000;

export function Home({ place }: { place: Place }) {
  const status = useAnswer<'status'>('/status', { runs: 20 });
  const sessions = useAnswer<'listSources'>('/list/sources', { type: 'conversation', limit: LAST });
  // What the palace contains is shown first; the rest does not delay it.
  const isShown = status.answer !== undefined;
  const runs = useAnswer<'listRuns'>('/list/runs', isShown ? { limit: RUNS } : null);
  const facts = useAnswer<'kgStats'>('/kg/stats', isShown ? {} : null);
  return (
    <>
      <h1>Home</h1>
      <Connected />
      <Shown asked={status}>
        {(status) => (
          <>
            {status.sources === 0 && <Beginning />}
            <Totals status={status} facts={facts.answer} />
            <Attention
              status={status}
              conflicts={facts.answer?.conflicts.length ?? 0}
              runs={runs.answer?.runs ?? []}
            />
            {runs.answer !== undefined && <Growth runs={runs.answer.runs} drawers={status.drawers} />}
            {status.drawers > 0 && (
              <Calendar
                wing={place.wing ?? ''}
                wings={status.wings.map(({ wing }) => wing)}
                onWing={(wing) => goTo({ view: 'home', wing }, 'replace')}
              />
            )}
          </>
        )}
      </Shown>
      <section aria-labelledby="last">
        <h2 id="last">Last sessions</h2>
        <Shown asked={sessions}>
          {({ sources }) =>
            sources.length === 0 ? (
              <p class="quiet">No session is filed yet.</p>
            ) : (
              <ul class="rows">
                {sources.map((source) => (
                  <li key={source.source_key}>
                    <Link to={toSource(source.source_key)} dir="auto">
                      {nameOf(source)}
                    </Link>
                    <span class="quiet" dir="auto">
                      {source.date} · {source.wing}
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </section>
      <Shown asked={status}>{(status) => <Wings status={status} />}</Shown>
    </>
  );
}

function Connected() {
  const connections = useLive('connections');
  if (connections === undefined || connections.agents.length === 0) return null;
  return (
    <p class="quiet" dir="auto">
      Connected:{' '}
      {connections.agents.map(({ agent, since }) => `${agent} (since ${minute(since)})`).join(', ')}
    </p>
  );
}

function Totals({ status, facts }: { status: Status; facts: Answer<'kgStats'> | undefined }) {
  const of = (count: number, one: string): [string, string] => [number(count), noun(count, one)];
  // Not the clients of the broker: this page is one of them.
  const agents = useLive('connections')?.agents.length ?? 0;
  const figures: [string, string][] = [
    of(status.sources, 'source'),
    of(status.drawers, 'drawer'),
    [status.drawers === 0 ? '–' : `${status.meaning.percent} %`, 'by meaning'],
    facts === undefined ? ['…', 'current facts'] : of(facts.current_facts, 'current fact'),
    [bytes(status.bytes), 'on disk'],
    [number(agents), `${noun(agents, 'agent')} connected`],
  ];
  return (
    <dl class="figures">
      {figures.map(([value, name]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A trouble, and the view that helps. */
interface Point {
  text: string;
  to: Place;
}

const HEALTH: Place = { view: 'health' };
const DOCTOR: Place = { ...HEALTH, doctor: 'ask' };

interface Troubles {
  status: Status;
  conflicts: number;
  runs: readonly Run[];
}

function Attention({ status, conflicts, runs }: Troubles) {
  const failed = status.feeders.filter(
    ({ last_exit_code: code }) => code !== null && code !== 0 && code !== 3,
  );
  const ofHealth = [
    ...status.remarks.map(({ text, hint }) => `${text}: ${hint}`),
    ...status.stale.map(({ notice }) => notice),
    ...failed.map(({ command, last_exit_code: code }) => `the last run of ${command} failed (exit ${code})`),
    // Short writes may hide runs of the feeders from the list, but not from the status.
    ...lastOfEach([...status.runs, ...runs]).flatMap(troublesOf),
    ...(status.meaning.pending === 0
      ? []
      : [
          `${counted(status.meaning.pending, 'text')} found by words only: mempalace repair adds the vectors`,
        ]),
  ];
  const points: Point[] = [
    ...ofHealth.map((text) => ({ text, to: HEALTH })),
    ...(conflicts === 0
      ? []
      : [{ text: `${counted(conflicts, 'conflict')} between facts`, to: { view: 'facts' } }]),
  ];
  if (points.length === 0) return null;
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul>
        {points.map(({ text, to }) => (
          <li key={text}>
            <Link to={to} dir="auto">
              {text}
            </Link>
          </li>
        ))}
      </ul>
      <p>
        <Link to={DOCTOR}>Ask the doctor</Link>
      </p>
    </section>
  );
}

/** The last run of each command that has ended or broken off. */
const lastOfEach = (runs: readonly Run[]): Run[] => {
  const ended = runs.filter(({ running }) => !running);
  return ended.filter(({ command }, index) => ended.findIndex((run) => run.command === command) === index);
};

/** Sources named per run; Health has all. */
const NAMED = 3;

function troublesOf({ command, started, exit_code, problems }: Run): string[] {
  const named = problems.slice(0, NAMED).map(({ origin, reason }) => `${origin} (${reason})`);
  const more = problems.length > NAMED ? `, and ${counted(problems.length - NAMED, 'more')}` : '';
  return [
    ...(exit_code === null ? [`${command} of ${minute(started)} did not end: the next run goes on`] : []),
    ...(problems.length === 0 ? [] : [`${command} did not file ${named.join(', ')}${more}`]),
  ];
}

/** What fills an empty palace. */
function Beginning() {
  return (
    <>
      <p>
        The palace is empty. <code>mempalace-docs &lt;folder&gt;</code> files the documents of a project, and{' '}
        <code>mempalace-session</code> the sessions of opencode, with <code>--from claude-code</code> those of
        Claude Code. Agents remember by themselves once <code>mempalace-mcp</code> is one of their MCP
        servers.
      </p>
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
              Sources
            </th>
            <th scope="col" class="right">
              Drawers
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
                <meter min={0} max={most} value={drawers} aria-label={`${drawers} of ${most} drawers`} />
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
