import { UserError } from '../../core/errors.js';
import { Database } from '../../platform/sqlite.js';
import { Sql } from '../db/sql.js';
import { bigramsOf } from './bigrams.js';
import { FTS5, flatIdf, idf, SATURATED, saturation } from './bm25.js';
import { EVERYTHING } from './filter.js';
import { exactly, type LexicalQuery, matchOf, matchOfGate, quoted } from './match.js';

/** English stemming over Unicode words; accents do not matter. */
const TOKENIZE = 'porter unicode61 remove_diacritics 2';

/** Columns of the lexical index, in order, with their weight in BM25. */
const COLUMNS = { text: 1, title: 0.5, context: 0.5, place: 0.25, dates: 0.25, bigrams: 1 };
type Column = keyof typeof COLUMNS;

/** A drawer's row id and its text in each column. */
type LexicalRow = { id: number } & Record<Column, string>;

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

/** Entries that FTS5 collects in memory before it writes them; its default. */
const COLLECTED_BYTES = 1024 ** 2;
/** The same while an index is rebuilt: with the default, it merges what it wrote the more often, the larger the palace is. */
const REBUILD_BYTES = 64 * COLLECTED_BYTES;

const names = Object.keys(COLUMNS) as Column[];
const weights = Object.values(COLUMNS);
const EMPTY = { title: '', context: '', place: '', dates: '' };

/**
 * The lexical index: which drawers contain a query's words, with BM25 scores. To score given rows, FTS5 walks every
 * posting list (100,000 drawers: 8 ms instead of 6 at the median, 23 ms instead of 9 for the slowest twentieth of
 * queries). So candidates are scored here from document frequencies and lengths. A scratch index with the same tokenizer
 * counts the terms, so the stems are exactly FTS5's.
 */
export class LexicalIndex {
  #scratch: Sql | undefined;

  constructor(private readonly sql: Sql) {}

  /** The distinct terms of some words, stemmed as in the index, with their document frequencies. Accepts any text. */
  terms(words: readonly string[]): QueryTerm[] {
    const scratch = this.#emptyScratch();
    for (const [index, word] of words.entries())
      scratch.run('INSERT INTO words(rowid, text) VALUES (?, ?)', index + 1, word);
    const stems = scratch.all<{ stem: string; row: number }>(
      'SELECT term AS stem, min(doc) AS row FROM word_terms GROUP BY term ORDER BY row',
    );
    return stems.map(({ stem, row }) => ({
      stem,
      word: words[row - 1] ?? stem,
      drawers: this.sql.value<number>('SELECT doc FROM lexical_terms WHERE term = ?', stem) ?? 0,
    }));
  }

  /** Row ids of drawers that match the query, best BM25 score first. @param among row ids; default: all of them */
  candidates(query: LexicalQuery, count: number, among?: readonly number[]): number[] {
    const match = matchOf(query);
    if (match === undefined) return [];
    // The sign keeps SQLite from querying the index row by row, which takes a second.
    const restriction = among === undefined ? '' : 'AND +rowid IN (SELECT value FROM json_each(@among))';
    // A separate query, because a word that occurs twice in one query counts twice. Scoring is slow, matching is not.
    const inGate = 'AND +rowid IN (SELECT rowid FROM lexical_index WHERE lexical_index MATCH @gate)';
    const gate = query.gate === undefined ? '' : inGate;
    return this.sql.values<number>(
      `SELECT rowid FROM lexical_index WHERE lexical_index MATCH @match ${restriction} ${gate}
         ORDER BY bm25(lexical_index, ${weights.join(', ')}) LIMIT @count`,
      { match, count, among: JSON.stringify(among), gate: query.gate && matchOfGate(query.gate) },
    );
  }

  /** Drawers that contain exactly this text. Reads every drawer; for texts without a word. */
  containing(text: string, count: number, among = EVERYTHING): number[] {
    const containing = ['text', 'title', 'context', 'place']
      .map((name) => `instr(d.${name}, @text)`)
      .join(' OR ');
    return this.sql.values<number>(
      `SELECT d.id FROM drawers d JOIN sources s ON s.id = d.source_id
         WHERE (${containing}) AND ${among.sql} LIMIT @count`,
      { text, count, ...among.parameters },
    );
  }

  /** The drawers that contain one of these words or phrases. */
  containingAny(texts: readonly string[], drawers: readonly LexicalRow[]): Set<number> {
    const match = texts.flatMap(exactly).join(' OR ');
    if (match === '' || drawers.length === 0) return new Set();
    const scratch = this.#filledScratch(drawers);
    return new Set(scratch.values<number>('SELECT rowid FROM words WHERE words MATCH ?', match));
  }

  /** Tokens that begin with this character of a script without spaces. */
  tokensFrom(character: string): string[] {
    return this.sql.values<string>(
      `SELECT term FROM lexical_terms WHERE term >= @first AND term < @first || char(1114111)
         AND length(term) <= 2 ORDER BY doc DESC LIMIT 200`,
      { first: character },
    );
  }

  /** The scores of each drawer, by row id. */
  scores(terms: readonly QueryTerm[], drawers: readonly LexicalRow[]): Map<number, LexicalScore> {
    const known = terms.filter((term) => term.drawers > 0);
    const { rows, averageLength } = this.#collection();
    const counts =
      known.length === 0 || drawers.length === 0 ? new Map<string, number>() : this.#count(known, drawers);
    return new Map(
      drawers.map(({ id }) => {
        const score = { bm25: 0, words: 0 };
        const length = this.#lengthOf(id) / averageLength;
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

  /** Row ids of the drawers that contain a word, in order. As JSON: four times as fast as rows. */
  #containing(word: string): number[] {
    const ids = this.sql.value<string>(
      'SELECT json_group_array(rowid) FROM lexical_index WHERE lexical_index MATCH ?',
      quoted(word),
    );
    return JSON.parse(ids ?? '[]') as number[];
  }

  /** Which share of some terms each drawer contains, by row id: 0–1. Rare terms count more, unknown ones most. */
  covered(terms: readonly QueryTerm[], drawers: readonly LexicalRow[]): Map<number, number> {
    const { rows } = this.#collection();
    const known = terms.filter((term) => term.drawers > 0);
    const counts = this.#count(known, drawers);
    const weightOf = (some: readonly QueryTerm[]): number =>
      some.reduce((sum, term) => sum + flatIdf(term.drawers, rows), 0);
    const whole = weightOf(terms);
    return new Map(
      drawers.map(({ id }) => {
        const found = weightOf(known.filter(({ stem }) => counts.has(`${id} ${stem}`)));
        return [id, whole === 0 ? 0 : found / whole] as const;
      }),
    );
  }

  /** For each text, the sum of the IDF of its terms. */
  weigh(terms: readonly QueryTerm[], texts: readonly string[]): number[] {
    const known = terms.filter((term) => term.drawers > 0);
    const { rows } = this.#collection();
    const counts = this.#count(
      known,
      texts.map((text, id) => ({ ...EMPTY, id, text, bigrams: bigramsOf(text) })),
    );
    return texts.map((_, id) =>
      known.reduce(
        (sum, { stem, drawers }) => sum + (counts.has(`${id} ${stem}`) ? idf(drawers, rows) : 0),
        0,
      ),
    );
  }

  /** Runs `work`, which removes drawers, without updating the index, and rebuilds it: all in one transaction. */
  rebuildAfter<T>(work: () => T): T {
    return this.sql.write(() => {
      const trigger = this.sql.value<string>("SELECT sql FROM sqlite_schema WHERE name = 'drawers_deleted'");
      if (trigger === undefined) throw new Error('the palace has no trigger drawers_deleted');
      this.sql.exec('DROP TRIGGER drawers_deleted');
      const result = work();
      this.sql.exec(trigger);
      this.rebuild();
      return result;
    });
  }

  rebuild(): void {
    this.sql.write(() => {
      this.#collectInMemory(REBUILD_BYTES);
      this.sql.exec("INSERT INTO lexical_index(lexical_index) VALUES ('rebuild')");
      this.#collectInMemory(COLLECTED_BYTES);
    });
  }

  #collectInMemory(bytes: number): void {
    // In the text, since a bound number is a float, which FTS5 refuses.
    this.sql.exec(`INSERT INTO lexical_index(lexical_index, rank) VALUES ('hashsize', ${bytes})`);
  }

  /**
   * Whether the index contains exactly the words of the drawers. Reads all texts and the whole index. The palace must be
   * open for writing, because SQLite treats this check as a write; it changes nothing.
   */
  matchesRows(): boolean {
    try {
      this.sql.exec("INSERT INTO lexical_index(lexical_index, rank) VALUES ('integrity-check', 1)");
      return true;
    } catch (error) {
      if (error instanceof UserError && error.code === 'palace-damaged') return false;
      throw error;
    }
  }

  /** Number of indexed drawers. */
  size(): number {
    return this.#collection().rows;
  }

  close(): void {
    this.#scratch?.close();
    this.#scratch = undefined;
  }

  /** Weighted frequency of each term in each drawer, keyed `<drawer> <stem>`. */
  #count(terms: readonly QueryTerm[], drawers: readonly LexicalRow[]): Map<string, number> {
    const scratch = this.#filledScratch(drawers);
    const read = 'SELECT doc, col, count(*) AS n FROM word_terms WHERE term = ? GROUP BY doc, col';
    const counts = new Map<string, number>();
    for (const { stem } of terms) {
      for (const { doc, col, n } of scratch.all<{ doc: number; col: Column; n: number }>(read, stem)) {
        const key = `${doc} ${stem}`;
        counts.set(key, (counts.get(key) ?? 0) + n * COLUMNS[col]);
      }
    }
    return counts;
  }

  #filledScratch(drawers: readonly LexicalRow[]): Sql {
    const scratch = this.#emptyScratch();
    const insert = `INSERT INTO words(rowid, ${names}) VALUES (@id, ${names.map((name) => `@${name}`)})`;
    scratch.write(() => {
      for (const drawer of drawers) scratch.run(insert, drawer);
    });
    return scratch;
  }

  #emptyScratch(): Sql {
    if (this.#scratch === undefined) {
      this.#scratch = new Sql(new Database(':memory:'));
      this.#scratch.exec(`
        CREATE VIRTUAL TABLE words USING fts5(${names}, content='', tokenize='${TOKENIZE}');
        CREATE VIRTUAL TABLE word_terms USING fts5vocab(words, 'instance');
      `);
    } else {
      this.#scratch.exec("INSERT INTO words(words) VALUES ('delete-all')");
    }
    return this.#scratch;
  }

  /** FTS5's "averages" record: number of rows, then total tokens of each column, as varints. */
  #collection(): { rows: number; averageLength: number } {
    const record = this.sql.get<{ block: Buffer }>('SELECT block FROM lexical_index_data WHERE id = 1');
    const [rows = 0, ...tokens] = record === undefined ? [] : varints(record.block);
    const total = tokens.reduce((sum, count) => sum + count, 0);
    return { rows, averageLength: rows === 0 ? 1 : Math.max(total / rows, 1) };
  }

  #lengthOf(id: number): number {
    const row = this.sql.get<{ sz: Buffer }>('SELECT sz FROM lexical_index_docsize WHERE id = ?', id);
    return row === undefined ? 0 : varints(row.sz).reduce((sum, count) => sum + count, 0);
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
