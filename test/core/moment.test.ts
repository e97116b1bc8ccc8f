import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/core/errors.js';
import { parseMoment } from '../../src/core/moment.js';

/** Monday, 31 March 2025, 15:30:20 local time. */
const NOW = new Date(2025, 2, 31, 15, 30, 20);
const local = (...parts: [number, number, number, number?, number?]) => {
  const [year, month, day, hour = 0, minute = 0] = parts;
  return new Date(year, month - 1, day, hour, minute).getTime();
};

describe('parseMoment', () => {
  it.each([
    ['2025-03-01', local(2025, 3, 1)],
    [' 2024-02-29 ', local(2024, 2, 29)],
    ['2025-03-01T12:30', local(2025, 3, 1, 12, 30)],
    ['2025-03-01 12:30', local(2025, 3, 1, 12, 30)],
    ['2025-03-01T12:30:00Z', Date.UTC(2025, 2, 1, 12, 30)],
    ['2025-03-01T12:30:00.000+02:00', Date.UTC(2025, 2, 1, 10, 30)],
    ['12h', NOW.getTime() - 12 * 3_600_000],
    ['3d', NOW.getTime() - 3 * 86_400_000],
    ['2w', NOW.getTime() - 14 * 86_400_000],
    ['2W', NOW.getTime() - 14 * 86_400_000],
    ['1mo', new Date(2025, 1, 28, 15, 30, 20).getTime()],
    ['6mo', new Date(2024, 8, 30, 15, 30, 20).getTime()],
    ['1y', new Date(2024, 2, 31, 15, 30, 20).getTime()],
    ['0d', NOW.getTime()],
    ['yesterday', local(2025, 3, 30)],
    ['last friday', local(2025, 3, 28)],
    ['friday', local(2025, 3, 28)],
    ['today', local(2025, 3, 31)],
    ['3 days ago', local(2025, 3, 28)],
    ['2 hours ago', NOW.getTime() - 2 * 3_600_000],
    ['March 5', local(2025, 3, 5)],
    ['march 5 at 14:00', local(2025, 3, 5, 14)],
  ])('accepts %j', (text, expected) => {
    expect(parseMoment('--since', text, NOW)).toBe(expected);
  });

  it.each([
    '',
    'soon-ish',
    '3',
    '3x',
    '2025-13-01',
    '2025-02-30',
    '2025-03-01T99:00',
    'see you friday',
    '3d ago or so',
  ])('refuses %j, with examples', (text) => {
    expect(() => parseMoment('--since', text, NOW)).toThrowError(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('3d') }),
    );
  });

  it.each(['2025-04-01', '2099-01-01', 'tomorrow', 'in 3 days'])('refuses the future: %j', (text) => {
    expect(() => parseMoment('--since', text, NOW)).toThrowError(/in the future/);
  });

  it('never returns a future time or NaN', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,6}(h|d|w|mo|y)$/)), (text) => {
        try {
          const since = parseMoment('--since', text, NOW);
          expect(since).toBeLessThanOrEqual(NOW.getTime());
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
