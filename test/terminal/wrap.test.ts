import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrap } from '../../src/terminal/wrap.js';

const LINE = 'error: the palace is in use by another program, which began at noon';

describe('text for a terminal', () => {
  it('is broken between words', () => {
    expect(wrap(LINE, 40)).toBe('error: the palace is in use by another\nprogram, which began at noon');
    expect(wrap(`  ${LINE}`, 40, 4)).toBe(
      '  error: the palace is in use by another\n    program, which began at noon',
    );
  });

  it.each([undefined, 0, 5])('is not wrapped at a terminal with %s columns', (columns) => {
    expect(wrap(LINE, columns)).toBe(LINE);
  });

  it('keeps every word, and rows within the width unless one word is wider', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1 }),
        fc.integer({ min: 20, max: 90 }),
        (words, columns) => {
          const rows = wrap(words.join(' '), columns).split('\n');
          expect(rows.flatMap((row) => row.trim().split(' '))).toEqual(words);
          for (const row of rows) if (row.includes(' ')) expect(row.length).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});
