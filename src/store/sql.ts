import type { Database, Statement } from 'better-sqlite3';

/** A database whose statements are compiled once. */
export class Sql {
  readonly database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.database = database;
  }

  /** The compiled statement; `Row` states the columns that the text selects. */
  prepare<Row = unknown>(text: string): Statement<unknown[], Row> {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement as Statement<unknown[], Row>;
  }

  /**
   * Runs `work` in a transaction that takes the write lock at once: a deferred one that reads first meets
   * SQLITE_BUSY without waiting when another writer came between.
   */
  write<T>(work: () => T): T {
    return this.database.inTransaction ? work() : this.database.transaction(work).immediate();
  }

  /** Forgets compiled statements after the schema changed under them. */
  reset(): void {
    this.#statements.clear();
  }
}
