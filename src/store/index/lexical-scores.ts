import type { Sql } from '../db/sql.js';
import { FTS5, flatIdf, idf, SATURATED, saturation } from './bm25.js';
import { quoted } from './match.js';
import { type LexicalRow, rowOf, WordCounts } from './word-counts.js';

/** A term of a query as the index knows it (stemmed), with the number of drawers that contain it. */
export interface QueryTerm {
  stem: string;
  word: string;
  drawers: number;
}

/** How well a drawer matches the words of a query; 0 and more. */
export interface LexicalScore {
  /** As FTS5's `bm25()` computes it, but positive. */
  bm25: number;
  /** With flatter weights, see `flatIdf`. */
  words: number;
}

/** Words with at most this many postings together are counted in whole sources, the rarest first. */
const SOURCE_POSTINGS = 20_000;

/**
 * Scores of given drawers, sources and texts. FTS5 would walk every posting list for them (100,000 drawers: 8 ms instead of 6
 * at the median, 23 ms instead of 9 for the slowest twentieth of queries), so they are computed here from document
 * frequencies and lengths.
 */
export class LexicalScores {
  readonly #counts = new WordCounts();

  constructor(protected readonly sql: Sql) {}

  /** The distinct terms of some words, stemmed as in the index, with their document frequencies. Accepts any text. */
  terms(words: readonly string[]): QueryTerm[] {
    const terms = this.#counts.stems(words);
    const rows = this.sql.all<{ term: string; doc: number }>(
      'SELECT t.term, t.doc FROM json_each(?) wanted CROSS JOIN lexical_terms t ON t.term = wanted.value',
      JSON.stringify(terms.map(({ stem }) => stem)),
    );
    const drawers = new Map(rows.map(({ term, doc }) => [term, doc]));
    return terms.map((term) => ({ ...term, drawers: drawers.get(term.stem) ?? 0 }));
  }

  /** Whether a drawer contains the word. */
  isKnown(word: string): boolean {
    return this.terms([word]).some(({ drawers }) => drawers > 0);
  }

  /** The scores of each drawer, by row id. */
  scores(terms: readonly QueryTerm[], drawers: readonly LexicalRow[]): Map<number, LexicalScore> {
    const { rows, averageLength } = this.#collection();
    const { known, counts } = this.#count(terms, drawers);
    const lengths = this.#lengths(drawers);
    return new Map(
      drawers.map(({ id }) => {
        const score = { bm25: 0, words: 0 };
        const length = (lengths.get(id) ?? 0) / averageLength;
        for (const { stem, drawers: matching } of known) {
          const frequency = counts.get(`${id} ${stem}`) ?? 0;
          if (frequency === 0) continue;
          score.bm25 += idf(matching, rows) * saturation(frequency, length, FTS5);
          score.words += flatIdf(matching, rows) * saturation(frequency, length, SATURATED);
        }
        return [id, score] as const;
      }),
    );
  }

  /**
   * How well whole sources match, by source id; 0 and more. The frequency of a term is the number of drawers that contain
   * it, in their title or place too. The IDF is squared, as in the product of two tf-idf vectors: a source is about its rare
   * words. (Better than BM25 over an index of whole sources, which it replaces: `bench/README.md`.)
   */
  sourceScores(
    terms: readonly QueryTerm[],
    sources: ReadonlyMap<number, readonly number[]>,
  ): Map<number, number> {
    const owners = [...sources].flatMap(([source, ids]) => ids.map((id) => ({ id, source })));
    owners.sort((a, b) => a.id - b.id);
    const { rows } = this.#collection();
    const average = rows / Math.max(1, this.sql.count('FROM sources'));
    const scores = new Map([...sources.keys()].map((source) => [source, 0]));
    let postings = 0;
    for (const { word, drawers: matching } of [...terms].sort((a, b) => a.drawers - b.drawers)) {
      postings += matching;
      if (matching === 0) continue;
      // A common word says little about a source, and costs most.
      if (postings > SOURCE_POSTINGS) break;
      for (const [source, frequency] of countOwners(this.#containing(word), owners)) {
        const length = (sources.get(source)?.length ?? 0) / average;
        const gained = idf(matching, rows) ** 2 * saturation(frequency, length, SATURATED);
        scores.set(source, (scores.get(source) ?? 0) + gained);
      }
    }
    return scores;
  }

  /** Which share of some terms each drawer contains: 0–1. Rare terms count more, unknown ones most. */
  covered(terms: readonly QueryTerm[], drawers: readonly LexicalRow[]): number[] {
    const { rows } = this.#collection();
    const whole = terms.reduce((sum, term) => sum + flatIdf(term.drawers, rows), 0);
    return this.#weights(terms, drawers, flatIdf).map((found) => (whole === 0 ? 0 : found / whole));
  }

  /** For each text, the sum of the IDF of its terms. */
  weigh(terms: readonly QueryTerm[], texts: readonly string[]): number[] {
    return this.#weights(terms, texts.map(rowOf), idf);
  }

  /** For each row, the sum of the weights of its terms. */
  #weights(terms: readonly QueryTerm[], some: readonly LexicalRow[], weightOf: typeof idf): number[] {
    const { rows } = this.#collection();
    const { known, counts } = this.#count(terms, some);
    const weights = known.map(({ stem, drawers }) => ({ stem, weight: weightOf(drawers, rows) }));
    return some.map(({ id }) =>
      weights.reduce((sum, { stem, weight }) => sum + (counts.has(`${id} ${stem}`) ? weight : 0), 0),
    );
  }

  /** The drawers that contain one of these words or phrases. */
  containingAny(texts: readonly string[], drawers: readonly LexicalRow[]): Set<number> {
    return this.#counts.containingAny(texts, drawers);
  }

  /** Number of indexed drawers. */
  size(): number {
    return this.#collection().rows;
  }

  close(): void {
    this.#counts.close();
  }

  /** The terms that the palace contains, and their counts in some rows. */
  #count(terms: readonly QueryTerm[], rows: readonly LexicalRow[]) {
    const known = terms.filter((term) => term.drawers > 0);
    const stems = known.map(({ stem }) => stem);
    return { known, counts: this.#counts.of(stems, rows) };
  }

  /** Row ids of the drawers that contain a word, in order. As JSON: four times as fast as rows. */
  #containing(word: string): number[] {
    const ids = this.sql.value<string>(
      'SELECT json_group_array(rowid) FROM lexical_index WHERE lexical_index MATCH ?',
      quoted(word),
    );
    return JSON.parse(ids ?? '[]') as number[];
  }

  /** FTS5's "averages" record: number of rows, then total tokens of each column, as varints. */
  #collection(): { rows: number; averageLength: number } {
    const record = this.sql.get<{ block: Buffer }>('SELECT block FROM lexical_index_data WHERE id = 1');
    const [rows = 0, ...tokens] = record === undefined ? [] : varints(record.block);
    const total = tokens.reduce((sum, count) => sum + count, 0);
    return { rows, averageLength: rows === 0 ? 1 : Math.max(total / rows, 1) };
  }

  /** Numbers of tokens, by row id. */
  #lengths(drawers: readonly LexicalRow[]): Map<number, number> {
    const rows = this.sql.all<{ id: number; sz: Buffer }>(
      'SELECT d.id, d.sz FROM json_each(?) wanted CROSS JOIN lexical_index_docsize d ON d.id = wanted.value',
      JSON.stringify(drawers.map(({ id }) => id)),
    );
    return new Map(rows.map(({ id, sz }) => [id, varints(sz).reduce((sum, count) => sum + count, 0)]));
  }
}

/** How many of the rows each source owns. Both lists are in the order of ids. */
function countOwners(
  ids: readonly number[],
  owners: readonly { id: number; source: number }[],
): Map<number, number> {
  const counts = new Map<number, number>();
  let at = 0;
  for (const { id, source } of owners) {
    while ((ids[at] ?? Number.POSITIVE_INFINITY) < id) at += 1;
    if (ids[at] === id) counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return counts;
}

/** SQLite's big-endian base-128 integers below 2^53. */
function varints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    values.push(value);
    value = 0;
  }
  return values;
}
