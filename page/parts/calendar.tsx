import { useMemo } from 'preact/hooks';
import { dayOf } from '../../src/core/day.js';
import { useAnswer } from '../ask.js';
import { calendarOf } from '../calendar.js';
import { counted } from '../words.js';
import { Choice } from './choice.js';
import { Scroll } from './scroll.js';
import { Shown } from './state.js';

const [CELL, GAP] = [11, 2];
const TOP = 16;
const STEP = CELL + GAP;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface Props {
  wing: string;
  wings: readonly string[];
  onWing: (wing: string) => void;
}

/** A year of activity, a column per week. */
export function Calendar({ wing, wings, onWing }: Props) {
  const found = useAnswer<'listDays'>('/list/days', { since: '1y', wing });
  return (
    <section aria-labelledby="year">
      <h2 id="year">The last year</h2>
      <div class="chips">
        <Choice name="wing" value={wing} all={wings} onChoice={onWing} />
      </div>
      <Shown asked={found}>{({ days }) => <Year days={days} />}</Shown>
    </section>
  );
}

function Year({ days }: { days: readonly { day: string; sources: number; drawers: number }[] }) {
  const today = dayOf(new Date());
  const weeks = useMemo(() => calendarOf(days, today), [days, today]);
  const [sources, active] = [days.reduce((sum, each) => sum + each.sources, 0), days.length];
  const label = `${counted(sources, 'source')} on ${counted(active, 'day')}`;
  return (
    <>
      <Scroll name="The last year, by day" way="across" fromEnd>
        <svg
          class="calendar"
          width={weeks.length * STEP}
          height={TOP + 7 * STEP}
          role="img"
          aria-label={label}
        >
          {weeks.map((week, column) => (
            <g key={week[0]?.day}>
              {week[0]?.day.slice(8) !== undefined && Number(week[0].day.slice(8)) <= 7 && (
                <text x={column * STEP} y={11}>
                  {MONTHS[Number(week[0].day.slice(5, 7)) - 1]}
                </text>
              )}
              {week.map(({ day, row, level, sources }) => (
                <rect
                  key={day}
                  class={`level${level}`}
                  x={column * STEP}
                  y={TOP + row * STEP}
                  width={CELL}
                  height={CELL}
                  rx={2}
                >
                  <title>{`${day}: ${counted(sources, 'source')}`}</title>
                </rect>
              ))}
            </g>
          ))}
        </svg>
      </Scroll>
      <p class="quiet">{label}</p>
    </>
  );
}
