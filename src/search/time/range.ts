/** Days that a text names, both included. */
export interface TimeRange {
  /** ISO days; of `EVER` for an open end. */
  from: string;
  to: string;
  /** The text names no year: `from` and `to` are the last time until now, and the same days of other years match too. */
  everyYear?: true;
}

/** Ends of a range without an end. */
export const EVER = { from: '0000-01-01', to: '9999-12-31' };

const DAY_MS = 86_400_000;

/** The range of a day, a month or a year; undefined for a day or month that does not exist. */
export function rangeOf(year: number, month?: number, day?: number): TimeRange | undefined {
  if (month === undefined) return { from: `${year}-01-01`, to: `${year}-12-31` };
  const first = new Date(Date.UTC(year, month - 1, day ?? 1));
  if (first.getUTCMonth() !== month - 1 || first.getUTCDate() !== (day ?? 1)) return undefined;
  const last = day === undefined ? new Date(Date.UTC(year, month, 0)) : first;
  return { from: isoOf(first), to: isoOf(last) };
}

/** The last time that a month, or a day of it, began until a day. A leap day may be eight years ago. */
export function lastTime(today: string, month: number, day?: number): TimeRange | undefined {
  const year = Number(today.slice(0, 4));
  for (let back = 0; back <= 8; back += 1) {
    const range = rangeOf(year - back, month, day);
    if (range !== undefined && range.from <= today) return { ...range, everyYear: true };
  }
  return undefined;
}

/** The day some days later; a negative number: earlier. */
export function shifted(day: string, days: number): string {
  return isoOf(new Date(Date.parse(day) + days * DAY_MS));
}

/** The same days in another year. */
export function inYear({ from, to }: TimeRange, year: number): TimeRange {
  const years = year - yearOf(from);
  const moved = (day: string): string => `${String(yearOf(day) + years).padStart(4, '0')}${day.slice(4)}`;
  return { from: moved(from), to: moved(to) };
}

export function yearOf(day: string): number {
  return Number(day.slice(0, 4));
}

/** Days from a day to a range, 0 inside; NaN if the day is not a date. */
export function distance({ from, to }: TimeRange, day: string): number {
  if (day >= from && day <= to) return 0;
  const [early, late] = day < from ? [day, from] : [to, day];
  return (Date.parse(late) - Date.parse(early)) / DAY_MS;
}

function isoOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
