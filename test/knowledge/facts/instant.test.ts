import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  holdsAt,
  type Interval,
  isEmpty,
  overlap,
  parseInstant,
  secondOf,
  secondText,
} from '../../../src/knowledge/facts/instant.js';

const FIRST = Date.UTC(2026, 0, 1);
/** A small set, so that values repeat: days, and seconds around their limits. */
const instants = fc
  .record({ hours: fc.integer({ min: -30, max: 30 }), day: fc.boolean() })
  .map(({ hours, day }) => secondText(new Date(FIRST + hours * 3_600_000)).slice(0, day ? 10 : 20));
const intervals = fc.record({
  valid_from: fc.option(instants, { nil: null }),
  valid_to: fc.option(instants, { nil: null }),
});
const ms = (instant: string) => Date.parse(secondOf(instant));
const bounds = ({ valid_from, valid_to }: Interval) => ({
  from: valid_from === null ? Number.NEGATIVE_INFINITY : ms(valid_from),
  to: valid_to === null ? Number.POSITIVE_INFINITY : ms(valid_to),
});

describe('an instant', () => {
  it.each(['2026-03-01', '2024-02-29', '2026-03-01T12:00:00Z', '0001-01-01'])('can be %s', (text) => {
    expect(parseInstant('x', ` ${text} `)).toBe(text);
  });

  it('is stored in one form', () => {
    expect(parseInstant('x', '2026-03-01T12:00:00+00:00')).toBe('2026-03-01T12:00:00Z');
  });

  it.each([
    '',
    '2026',
    '2026-03',
    '2026-02-30',
    '2023-02-29',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:00:60Z',
    '2026-03-01T12:00Z',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00.5Z',
    '2026-03-01T12:00:00+02:00',
    '2026-3-1',
    'yesterday',
    '+12026-03-01',
  ])('is not %j', (text) => {
    expect(() => parseInstant('valid_from', text)).toThrow(/valid_from: not a moment/);
  });

  it('sorts like its text', () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        expect(secondOf(a) < secondOf(b)).toBe(ms(a) < ms(b));
      }),
    );
  });
});

describe('an interval', () => {
  it('includes its beginning and excludes its end', () => {
    fc.assert(
      fc.property(intervals, instants, (interval, at) => {
        const { from, to } = bounds(interval);
        expect(holdsAt(interval, at)).toBe(from <= ms(at) && ms(at) < to);
      }),
    );
  });

  it('and its successor neither overlap nor have a gap', () => {
    fc.assert(
      fc.property(instants, instants, (border, at) => {
        const before = holdsAt({ valid_from: null, valid_to: border }, at);
        const after = holdsAt({ valid_from: border, valid_to: null }, at);
        expect(before).toBe(!after);
      }),
    );
  });

  it('overlaps another one if they share an instant, symmetrically', () => {
    fc.assert(
      fc.property(intervals, intervals, (one, other) => {
        const [a, b] = [bounds(one), bounds(other)];
        const shared = Math.max(a.from, b.from) < Math.min(a.to, b.to);
        expect(overlap(one, other)).toBe(shared);
        expect(overlap(other, one)).toBe(shared);
        if (isEmpty(one)) expect(overlap(one, one)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
