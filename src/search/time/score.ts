import { distance, inYear, type TimeRange, yearOf } from './range.js';
import { datesIn } from './written-dates.js';

/** The score halves at this distance, days. */
const HALF_DAYS = 7;
/** Of a question without a year: other years than the last. */
const OTHER_YEAR = 0.7;
/** Of a drawer whose text names the time. */
const MENTIONED = 0.7;

/**
 * How well a drawer agrees with the times of a question, 0–1: 1 if its day is inside one of them, less with every day
 * outside, and at least `MENTIONED` if its text names a day or a month inside.
 *
 * @param drawer.day `YYYY-MM-DD`
 */
export function timeScore(times: readonly TimeRange[], drawer: { day: string; text: string }): number {
  const near = Math.max(0, ...times.map((time) => scoreOfDay(time, drawer.day)));
  if (times.length === 0 || near >= MENTIONED) return near;
  const named = datesIn(drawer.text, drawer.day).map(({ range }) => range);
  return times.some((time) => named.some((range) => isInside(range, time))) ? MENTIONED : near;
}

function scoreOfDay(time: TimeRange, day: string): number {
  const near = HALF_DAYS / (HALF_DAYS + distance(time, day));
  if (Number.isNaN(near)) return 0;
  const others = eachYear(time, day).map((other) => HALF_DAYS / (HALF_DAYS + distance(other, day)));
  return Math.max(near, OTHER_YEAR * Math.max(0, ...others));
}

function isInside(named: TimeRange, time: TimeRange): boolean {
  return [time, ...eachYear(time, named.from)].some(({ from, to }) => from <= named.from && named.to <= to);
}

/** A time without a year in the year of a day and in those beside it. */
function eachYear(time: TimeRange, day: string): TimeRange[] {
  const year = yearOf(day);
  if (time.everyYear !== true || Number.isNaN(year)) return [];
  return [year - 1, year, year + 1].map((other) => inYear(time, other));
}
