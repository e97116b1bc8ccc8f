import { dayOfMoment } from '../../src/core/day.js';
import type { Answer } from '../api.js';
import { counted, number } from '../words.js';

type Run = Answer<'listRuns'>['runs'][number];

const [WIDTH, HEIGHT] = [720, 120];
const LEAST_DAYS = 2;

/** How the number of drawers grew, from what each run added and removed: an area over days. */
export function Growth({ runs, drawers }: { runs: readonly Run[]; drawers: number }) {
  const days = perDay(runs, drawers);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < LEAST_DAYS) return null;
  const span = Math.max(1, Date.parse(last.day) - Date.parse(first.day));
  const most = Math.max(1, ...days.map(({ count }) => count));
  const points = days.map(({ day, count }) => {
    const x = ((Date.parse(day) - Date.parse(first.day)) / span) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - (count / most) * (HEIGHT - 8)).toFixed(1)}`;
  });
  const label = `From ${counted(first.count, 'drawer')} on ${first.day} to ${number(last.count)} on ${last.day}`;
  return (
    <section aria-labelledby="growth">
      <h2 id="growth">Growth</h2>
      <svg
        class="growth"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
        <polyline points={points.join(' ')} />
      </svg>
      <p class="quiet">{label}</p>
    </section>
  );
}

/** Drawers at the end of each day with a run, oldest first; reckoned back from today. */
function perDay(
  runs: readonly Pick<Run, 'started' | 'drawers_added' | 'drawers_removed'>[],
  drawers: number,
) {
  const days: { day: string; count: number }[] = [];
  let count = drawers;
  for (const { started, drawers_added, drawers_removed } of runs) {
    const day = dayOfMoment(started);
    if (days.at(-1)?.day !== day) days.push({ day, count: Math.max(0, count) });
    count -= (drawers_added ?? 0) - (drawers_removed ?? 0);
  }
  return days.reverse();
}
