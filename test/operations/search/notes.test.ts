import { describe, expect, it } from 'vitest';
import { isWeak, nothingFound, phrasesNotFound, weaklyFound } from '../../../src/operations/search/notes.js';
import type { DrawerFilter } from '../../../src/store/index.js';
import { hitOf, rankedOf } from '../../support/hits.js';

describe('nothing found', () => {
  const rooms = [
    { wing: 'wing_shop', room: 'docs', sources: 1, drawers: 1 },
    { wing: 'wing_shop', room: 'billing', sources: 1, drawers: 1 },
    { wing: 'wing_conversations', room: 'shop', sources: 1, drawers: 1 },
  ];
  const cure = '--cold looks there too';
  const said = (
    { minScore = 0, ...filter }: DrawerFilter & { minScore?: number },
    question = 'a\nquestion',
  ) => nothingFound(question, { filter, offset: 0, minScore }, rooms, cure);

  it('names the filters and the places that there are', () => {
    expect(said({})).toEqual(['nothing found for "a question"']);
    expect(said({ wing: 'wing_shop', since: '2026-01-02', minScore: 0.5 })).toEqual([
      'nothing found for "a question" (wing wing_shop, since 2026-01-02, score at least 0.5)',
    ]);
    expect(said({ wing: 'wing_shop', room: 'shop' })).toEqual([
      'nothing found for "a question" (wing wing_shop, room shop)',
      'there is no room "shop" in wing_shop; rooms: docs, billing',
    ]);
    expect(said({ room: 'docs' })).toHaveLength(1);
    expect(said({ type: 'Principle card', priority: 'low' })).toEqual([
      'nothing found for "a question" (type Principle card, priority low)',
    ]);
    expect(said({ without: [{ wing: 'wing_shop', room: 'billing' }] })).toEqual([
      'nothing found for "a question"',
      'left out as cold: wing_shop/billing; --cold looks there too',
    ]);
    expect(said({}, '-"this"')).toEqual([
      'nothing found for "-"this""',
      'the query contains no search terms',
    ]);
  });
});

describe('phrases that nothing contains', () => {
  it('are named on one line', () => {
    expect(phrasesNotFound([])).toEqual([]);
    expect(phrasesNotFound(['half\nup', 'cart'])).toEqual([
      'nothing found that contains "half up" and "cart" exactly; the words of the question were searched instead',
    ]);
  });
});

describe('hits', () => {
  it('are weak when none contains a word of the question', () => {
    const unworded = rankedOf({}, 0);
    const weak = { ...unworded, passage: [unworded], more: [], strength: 0.5 };
    expect(isWeak([weak, weak])).toBe(true);
    expect(isWeak([weak, hitOf()])).toBe(false);
    expect(isWeak([])).toBe(false);
    const low = { ...hitOf(), strength: 0.37 };
    expect(isWeak([low, low])).toBe(true);
    expect(isWeak([low, hitOf()])).toBe(false);
    // It holds a sign that was quoted, which is no word.
    const signed = { ...unworded, places: { lexical: 0 } };
    expect(isWeak([{ ...signed, passage: [signed], more: [], strength: 0.1 }])).toBe(false);
  });

  const cure = '--cold looks there too';
  it('that are weak are said to lack the words only where that is known', () => {
    const unworded = rankedOf({}, 0);
    const weak = { ...unworded, passage: [unworded], more: [], strength: 0.3 };
    const none = 'no passage contains these words; what follows is nearest in meaning';
    const little = 'these passages match the question only weakly';
    expect(weaklyFound([weak], { filter: {}, offset: 0 }, cure)).toEqual([none]);
    expect(weaklyFound([weak], { filter: {}, offset: 5 }, cure)).toEqual([little]);
    expect(weaklyFound([{ ...hitOf(), strength: 0.3 }], { filter: {}, offset: 0 }, cure)).toEqual([little]);
    expect(weaklyFound([hitOf()], { filter: {}, offset: 0 }, cure)).toEqual([]);
    expect(weaklyFound([weak], { filter: { without: [{ wing: 'old' }] }, offset: 0 }, cure)).toEqual([
      none,
      'left out as cold: old; --cold looks there too',
    ]);
  });
});
