import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, suggest } from '../../src/core/suggest.js';

describe('suggest', () => {
  const keys = ['limit', 'rank', 'by', 'min_score', 'weights', 'half_life', 'cold'];
  it.each([
    ['limt', 'limit'],
    ['limits', 'limit'],
    ['ilmit', 'limit'],
    ['min-score', 'min_score'],
    ['halflife', 'half_life'],
    ['Rank', 'rank'],
    ['colour', undefined],
    ['', undefined],
    ['xy', undefined],
  ])('%s: %s', (name, expected) => {
    expect(suggest(name, keys)).toBe(expected);
  });
});

describe('editDistance', () => {
  it('counts insertions, deletions, substitutions and swaps', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('ab', 'ba')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('is symmetric, zero for equals only, and at most the longer length', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
