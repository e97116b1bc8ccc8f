import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { conditionOf, type DrawerFilter, type Palace, palaceFile } from '../../../src/store/index.js';
import { it } from '../../support/it.js';
import { fileTexts, temporaryPalace } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

const WORDS = ['rounding', 'rounds', 'total', 'tax', 'cart', 'naïve', 'the', 'import', 'x.ts', "it's"];

describe('the lexical index', () => {
  const sentence = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 })
    .map((words) => words.join(' '));
  const sentences = fc.uniqueArray(sentence, { minLength: 3, maxLength: 12 });
  const question = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 });

  it('scores given drawers exactly like FTS5', () => {
    fc.assert(
      fc.property(sentences, question, (texts, words) => {
        const palace = temporaryPalace();
        fileTexts(palace, 'a', texts, { title: 'The cart total', place: 'cart/total' });
        expectScoresOfFts5(palace, words);
      }),
      { numRuns: 25 },
    );
  });

  it('does so after drawers were removed or changed, and after a rebuild', () => {
    fc.assert(
      fc.property(sentences, sentences, question, (texts, others, words) => {
        const palace = temporaryPalace();
        fileTexts(palace, 'gone', others, { title: 'rounds of tax' });
        fileTexts(palace, 'a', [...others, ...texts]);
        fileTexts(palace, 'a', texts, { title: 'The cart total' });
        palace.remove(palace.sources.byKey('gone')?.id ?? 0);
        palace.tidy();
        expectScoresOfFts5(palace, words);
        palace.repair();
        expectScoresOfFts5(palace, words);
        expect(problemsIn(palace)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('with a filter finds and orders the matching drawers as without one', () => {
    const gates = fc.record({
      any: fc.uniqueArray(fc.constantFrom('tax', 'cart', 'total'), { maxLength: 2 }),
      several: fc.uniqueArray(fc.constantFrom('tax', 'cart', 'total', 'rounds', 'the'), { minLength: 2 }),
      least: fc.integer({ min: 2, max: 3 }),
    });
    fc.assert(
      fc.property(sentences, question, gates, (texts, words, { any, several, least }) => {
        fc.pre(any.length > 0 || several.length >= least);
        const palace = temporaryPalace();
        fileTexts(palace, 'a', texts);
        const all = palace.lexical.candidates({ words }, 100);
        const held = (id: number): string[] => {
          const spoken = palace.reading.drawersById([id])[0]?.text.split(' ') ?? [];
          return spoken.map((word) => (word === 'rounding' ? 'rounds' : word));
        };
        const passing = all.filter((id) => {
          const own = new Set(held(id));
          const many = several.filter((word) => own.has(word)).length;
          return any.some((word) => own.has(word)) || (several.length >= least && many >= least);
        });
        const found = palace.lexical.candidates({ words, gate: { any, several, least } }, 100);
        expect(found).toEqual(passing);
      }),
      { numRuns: 40 },
    );
  });

  it('treats any words as text', ({ palace }) => {
    fileTexts(palace, 'a', ['plain text']);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), (words) => {
        palace.lexical.terms(words);
        palace.lexical.candidates({ words }, 5);
      }),
      { numRuns: 300 },
    );
  });

  it('finds a drawer by its title, context and room, and not by an old title', ({ palace }) => {
    fileTexts(palace, 'guides/setup.md', ['hello'], { title: 'Quarterly invoices' });
    expect(palace.lexical.candidates({ words: ['invoice'] }, 5)).toHaveLength(1);
    expect(palace.lexical.candidates({ words: ['guides'] }, 5)).toHaveLength(1);
    const filed = palace.sources.byKey('guides/setup.md');
    if (filed === undefined) throw new Error('not filed');
    palace.relocate(filed, { ...filed, title: 'Annual report', place: 'guides/setup.md' });
    expect(palace.lexical.candidates({ words: ['invoice'] }, 5)).toHaveLength(0);
    expect(palace.lexical.candidates({ words: ['annual'] }, 5)).toHaveLength(1);
    expect(problemsIn(palace)).toEqual([]);
  });

  it('searches one wing on request', ({ palace }) => {
    fileTexts(palace, 'a', ['hello world']);
    fileTexts(palace, 'b', ['hello there'], { wing: 'wing_b', room: 'r' });
    expect(palace.lexical.candidates({ words: ['hello'] }, 5)).toHaveLength(2);
    const among = (filter: DrawerFilter) =>
      palace.reading.select(conditionOf(filter) ?? { sql: '', parameters: {} }).ids;
    expect(palace.lexical.candidates({ words: ['hello'] }, 5, among({ wing: 'wing_b' }))).toHaveLength(1);
    expect(
      palace.lexical.candidates({ words: ['hello'] }, 5, among({ wing: 'wing_a', room: 'r' })),
    ).toHaveLength(0);
  });
});

function expectScoresOfFts5(palace: Palace, words: readonly string[]): void {
  const terms = palace.lexical.terms(words);
  fc.pre(terms.length === words.length && words.every((word) => palace.lexical.terms([word]).length === 1));
  const raw = new Database(palaceFile(palace.folder), { readonly: true });
  const expected = raw
    .prepare<[string], { id: number; score: number }>(
      `SELECT rowid AS id, -bm25(lexical_index, 1, 0.5, 0.5, 0.25, 0.25, 1) AS score FROM lexical_index WHERE lexical_index MATCH ?`,
    )
    .all(words.map((word) => `"${word}"`).join(' OR '));
  raw.close();
  const drawers = palace.reading.drawersById(expected.map((row) => row.id));
  const scores = palace.lexical.scores(terms, drawers);
  for (const { id, score } of expected) expect(scores.get(id)?.bm25).toBeCloseTo(score, 6);
}
