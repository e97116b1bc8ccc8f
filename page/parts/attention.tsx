import type { Answer } from '../api.js';
import type { Place } from '../place.js';
import { counted, minute } from '../words.js';
import { Link } from './link.js';

type Status = Answer<'status'>;
type Run = Answer<'listRuns'>['runs'][number];

/** A trouble, and the view that helps. */
interface Point {
  text: string;
  to: Place;
}

const HEALTH: Place = { view: 'health' };
export const DOCTOR: Place = { ...HEALTH, doctor: 'ask' };

interface Troubles {
  status: Status;
  conflicts: number;
  runs: readonly Run[];
}

/** What needs attention. */
export function pointsOf({ status, conflicts, runs }: Troubles): Point[] {
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
  return [
    ...ofHealth.map((text) => ({ text, to: HEALTH })),
    ...(conflicts === 0
      ? []
      : [{ text: `${counted(conflicts, 'conflict')} between facts`, to: { view: 'facts' } }]),
  ];
}

/** Each with the view that helps. */
export function Attention({ points }: { points: readonly Point[] }) {
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
