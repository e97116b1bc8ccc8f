import { coverageOf } from '../../core/coverage.js';
import type { Sql } from '../db/sql.js';
import { derivedWords, type Worded } from './bigrams.js';

/** The version of `derivedWords`. Drawers of an earlier one are found by the words of that one until they are renewed. */
const WORDS_VERSION = '3';
/** In `meta`: the version whose words all drawers have; and the one that is being made, with the last row that has it. */
const [VERSION, RENEWED] = ['words', 'words_renewed'];

interface Row extends Worded {
  id: number;
  day: string | null;
  dates: string;
  bigrams: string;
}

/**
 * Gives the drawers of an earlier program the words of this one, in steps: each is a short transaction, so that searches
 * and other writers go on, and a kill loses one step.
 */
export class Renewal {
  constructor(private readonly sql: Sql) {}

  /** Drawers that have to be renewed, of all. Counts them only if there may be some. */
  progress(): { texts: number; pending: number; percent: number } | undefined {
    if (this.#value(VERSION) === WORDS_VERSION) return undefined;
    const pending = this.sql.count('FROM drawers WHERE id > ?', this.#after());
    return coverageOf(this.sql.count('FROM drawers'), pending);
  }

  /**
   * Renews the next drawers, at least one: in a large index, one may take 70 ms.
   *
   * @param budgetMs duration of the step, about
   * @returns whether drawers are left
   */
  step(budgetMs: number): boolean {
    if (this.#value(VERSION) === WORDS_VERSION) return false;
    return this.sql.write(() => {
      const until = performance.now() + budgetMs;
      for (let after = this.#after(); ; ) {
        const row = this.sql.get<Row>(
          `SELECT id, content_date AS day, text, title, context, place, dates, bigrams FROM drawers
             WHERE id > ? ORDER BY id LIMIT 1`,
          after,
        );
        if (row === undefined) {
          this.complete();
          return false;
        }
        this.#renew(row);
        after = row.id;
        if (performance.now() < until) continue;
        this.#put(RENEWED, `${WORDS_VERSION} ${after}`);
        return true;
      }
    });
  }

  /** Records that all drawers have the words of this version, as in a new palace. */
  complete(): void {
    this.#put(VERSION, WORDS_VERSION);
    this.sql.run('DELETE FROM meta WHERE key = ?', RENEWED);
  }

  #renew(row: Row): void {
    const { dates, bigrams } = derivedWords(row, row.day);
    if (dates === row.dates && bigrams === row.bigrams) return;
    this.sql.run('UPDATE drawers SET dates = ?, bigrams = ? WHERE id = ?', dates, bigrams, row.id);
  }

  #after(): number {
    const [version, after] = (this.#value(RENEWED) ?? '').split(' ');
    return version === WORDS_VERSION ? Number(after) : 0;
  }

  #value(key: string): string | undefined {
    return this.sql.value<string>('SELECT value FROM meta WHERE key = ?', key);
  }

  #put(key: string, value: string): void {
    this.sql.run(
      'INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value',
      key,
      value,
    );
  }
}
