import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { level, levels, perWeek } from '../../src/terminal/spark.js';

describe('levels', () => {
  it('are as high as the share of the largest', () => {
    expect(levels([0, 1, 2, 4, 8]).join('')).toBe(' ▁▂▄█');
    expect(levels([0, 0]).join('')).toBe('  ');
    expect([level(0), level(0.01), level(0.5), level(1)]).toEqual([' ', '▁', '▄', '█']);
  });

  it('have a character per number, and never fall while numbers rise', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), (values) => {
        const drawn = levels(values.toSorted((one, other) => one - other));
        expect(drawn).toHaveLength(values.length);
        expect(drawn.toSorted()).toEqual(drawn);
      }),
    );
  });
});

describe('weeks', () => {
  it('end with today', () => {
    const days = [
      ['2026-03-20', 1],
      ['2026-03-14', 2],
      ['2026-03-13', 4],
      ['2026-02-27', 8],
      ['2025-01-01', 16],
      ['2026-03-21', 32],
    ] as const;
    expect(perWeek(days, '2026-03-20', 4)).toEqual([8, 0, 4, 3]);
  });
});
