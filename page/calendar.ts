const DAY_MS = 86_400_000;
const DAYS = 365;
/** Shades above none. */
const LEVELS = 4;

export interface Cell {
  /** `YYYY-MM-DD` */
  day: string;
  /** Day of the week, from Monday, 0. */
  row: number;
  /** 0: nothing; to 4. */
  level: number;
  sources: number;
}

/**
 * A year up to a day, in weeks from Monday. The shade is by the order of magnitude: one busy day does not make all
 * others pale.
 */
export function calendarOf(
  days: readonly { day: string; sources: number; drawers: number }[],
  today: string,
): Cell[][] {
  const counts = new Map(days.map((each) => [each.day, each]));
  const most = Math.log1p(Math.max(1, ...days.map(({ drawers }) => drawers)));
  const weeks: Cell[][] = [];
  for (let ago = DAYS - 1; ago >= 0; ago -= 1) {
    const moment = new Date(Date.parse(today) - ago * DAY_MS);
    const day = moment.toISOString().slice(0, 10);
    const row = (moment.getUTCDay() + 6) % 7;
    const { sources = 0, drawers = 0 } = counts.get(day) ?? {};
    const level = drawers === 0 ? 0 : Math.ceil((Math.log1p(drawers) / most) * LEVELS);
    if (row === 0 || weeks.length === 0) weeks.push([]);
    weeks.at(-1)?.push({ day, row, level, sources });
  }
  return weeks;
}
