import { describe, expect, it } from 'vitest';
import { calendarOf } from '../../page/calendar.js';

describe('the calendar', () => {
  it('has a year up to today, in weeks from Monday', () => {
    const weeks = calendarOf([], '2026-03-20');
    const days = weeks.flat();
    expect([days.length, days[0]?.day, days.at(-1)]).toEqual([
      365,
      '2025-03-21',
      { day: '2026-03-20', row: 4, level: 0, sources: 0 },
    ]);
    expect(weeks.slice(1).every((week) => week[0]?.row === 0)).toBe(true);
  });

  it('is darker where more is, and shows the least', () => {
    const day = (day: string, drawers: number) => ({ day, sources: 1, drawers });
    const cells = calendarOf(
      [day('2026-03-18', 1), day('2026-03-19', 100), day('2026-03-20', 10_000)],
      '2026-03-20',
    );
    expect(
      cells
        .flat()
        .slice(-4)
        .map(({ level }) => level),
    ).toEqual([0, 1, 3, 4]);
  });
});
