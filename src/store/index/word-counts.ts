import { Database } from '../../platform/sqlite.js';
import { Sql } from '../db/sql.js';
import { derivedWords } from './bigrams.js';
import { exactly } from './match.js';

/** English stemming over Unicode words; accents do not matter. */
const TOKENIZE = 'porter unicode61 remove_diacritics 2';

/** Columns of the lexical index, in order, with their weight in BM25. */
export const COLUMNS = { text: 1, title: 0.5, context: 0.5, place: 0.25, dates: 0.25, bigrams: 1 };
type Column = keyof typeof COLUMNS;

/** A drawer's row id and its text in each column. */
export type LexicalRow = { id: number } & Record<Column, string>;

const names = Object.keys(COLUMNS) as Column[];

/** A text as if it were a whole drawer. */
export function rowOf(text: string, id: number): LexicalRow {
  const columns = { text, title: '', context: '', place: '' };
  return { id, ...columns, ...derivedWords(columns, null) };
}

/** Counts words in given rows, with an index in memory that has the tokenizer of the lexical index: the stems are exactly FTS5's. */
export class WordCounts {
  #scratch: Sql | undefined;

  /** The distinct stems of some words, with the first word of each. */
  stems(words: readonly string[]): { stem: string; word: string }[] {
    const scratch = this.#empty();
    for (const [index, word] of words.entries())
      scratch.run('INSERT INTO words(rowid, text) VALUES (?, ?)', index + 1, word);
    const stems = scratch.all<{ stem: string; row: number }>(
      'SELECT term AS stem, min(doc) AS row FROM word_terms GROUP BY term ORDER BY row',
    );
    return stems.map(({ stem, row }) => ({ stem, word: words[row - 1] ?? stem }));
  }

  /** Weighted frequency of each stem in each row, keyed `<row> <stem>`. */
  of(stems: readonly string[], rows: readonly LexicalRow[]): Map<string, number> {
    const counts = new Map<string, number>();
    if (stems.length === 0 || rows.length === 0) return counts;
    const scratch = this.#filled(rows);
    const read = 'SELECT doc, col, count(*) AS n FROM word_terms WHERE term = ? GROUP BY doc, col';
    for (const stem of stems) {
      for (const { doc, col, n } of scratch.all<{ doc: number; col: Column; n: number }>(read, stem)) {
        const key = `${doc} ${stem}`;
        counts.set(key, (counts.get(key) ?? 0) + n * COLUMNS[col]);
      }
    }
    return counts;
  }

  /** The rows that contain one of these words or phrases. */
  containingAny(texts: readonly string[], rows: readonly LexicalRow[]): Set<number> {
    const match = texts.flatMap((text) => exactly(text)).join(' OR ');
    if (match === '' || rows.length === 0) return new Set();
    return new Set(this.#filled(rows).values<number>('SELECT rowid FROM words WHERE words MATCH ?', match));
  }

  close(): void {
    this.#scratch?.close();
    this.#scratch = undefined;
  }

  #filled(rows: readonly LexicalRow[]): Sql {
    const scratch = this.#empty();
    const insert = `INSERT INTO words(rowid, ${names}) VALUES (@id, ${names.map((name) => `@${name}`)})`;
    scratch.write(() => {
      for (const row of rows) scratch.run(insert, row);
    });
    return scratch;
  }

  #empty(): Sql {
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
}
