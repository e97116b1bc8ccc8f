import { describe, expect, it } from 'vitest';
import { selectQueryTerms } from '../../src/search/query-terms.js';

const terms = (drawers: Record<string, number>) =>
  Object.entries(drawers).map(([word, count]) => ({ word, stem: word, drawers: count }));

describe('the words that find candidates', () => {
  it('are all known words if they are in few drawers', () => {
    expect(selectQueryTerms(terms({ cart: 9_000, bug: 10_999, gone: 0, rare: 1 }), 50_000, 50)).toEqual({
      words: ['rare', 'cart', 'bug'],
    });
    expect(selectQueryTerms([], 10, 50)).toEqual({ words: [] });
  });

  it('score the drawers with rare words, if those are enough', () => {
    const known = terms({ the: 300_000, test: 90_000, mutex: 4_000, ticket: 5_000 });
    expect(selectQueryTerms(known, 500_000, 50)).toEqual({
      words: ['mutex', 'ticket', 'test'],
      gate: { any: ['mutex', 'ticket'] },
    });
  });

  it('score drawers with several words, as many as probably occur together in enough drawers', () => {
    const common = terms({ a: 40_000, b: 40_000, c: 40_000, d: 40_000, zibo: 30 });
    const gate = { any: ['zibo'], several: ['zibo', 'a', 'b', 'c'] };
    // Three of the four: some 320 of 500,000 if they are independent; two of them: some 9,600.
    expect(selectQueryTerms(common, 500_000, 50).gate).toEqual({ ...gate, least: 3 });
    expect(selectQueryTerms(common, 500_000, 200).gate).toEqual({ ...gate, least: 2 });
  });

  it('score every drawer when all words are common', () => {
    expect(selectQueryTerms(terms({ test: 90_000 }), 100_000, 50)).toEqual({ words: ['test'] });
    expect(selectQueryTerms(terms({ test: 290_000, error: 300_000 }), 5_000_000, 50).words).toEqual([
      'test',
      'error',
    ]);
  });
});
