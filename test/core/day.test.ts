import { describe, expect, it } from 'vitest';
import { dayOf, dayOfMoment, dayOfText, dayOfTime, isZone, localTime } from '../../src/core/day.js';

/** The tests run in St. John's: UTC−3:30 in winter, −2:30 in summer. */
describe('a day', () => {
  it.each([
    ['2026-01-02T03:29:59Z', '2026-01-01'],
    ['2026-01-02T03:30:00Z', '2026-01-02'],
    ['2026-07-02T02:29:59Z', '2026-07-01'],
    ['2026-03-04T23:30:00-08:00', '2026-03-05'],
    ['2026-01-01T00:30:00+14:00', '2025-12-31'],
    // As it is written.
    ['2026-03-04', '2026-03-04'],
    ['2026-03-04T23:30:00', '2026-03-04'],
    ['2026-13-04', undefined],
    ['2026-02-30', undefined],
    ['yesterday', undefined],
  ])('of %s is %s', (text, day) => {
    expect(dayOfText(text)).toBe(day);
    if (day !== undefined && text.endsWith('Z')) {
      expect(dayOf(new Date(text))).toBe(day);
      expect(dayOfMoment(text)).toBe(day);
    }
  });

  it('is one of the years 1 to 9999', () => {
    expect([dayOfTime(Number.NaN), dayOfTime(8.64e15)]).toEqual([undefined, undefined]);
    expect(dayOfTime(Date.parse('0099-05-06T12:00:00Z'))).toBe('0099-05-06');
  });

  it('begins with the clock of the user', () => {
    const moment = new Date('2026-01-02T03:04:05.000Z');
    expect(localTime(moment)).toBe('2026-01-01T23:34:05.000');
    expect(Date.parse(localTime(moment))).toBe(moment.getTime());
  });
});

it('a zone has a name', () => {
  expect(['Europe/Berlin', 'UTC', 'Pacific/Kiritimati'].map(isZone)).toEqual([true, true, true]);
  expect(['Berlin', '', 'Europe/Nowhere', 'x y'].map(isZone)).toEqual([false, false, false, false]);
});
