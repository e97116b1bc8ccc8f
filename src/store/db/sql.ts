import { createRequire } from 'node:module';
import type { Database, RunResult, Statement } from 'better-sqlite3';
import { explainFailure } from './failures.js';

/**
 * Loads sqlite-vec into an open database. Writers need it for earlier schemas; readers load it with the first statement that
 * computes with vectors, which a hook never runs: it starts a tenth quicker.
 */
export function addVectorFunctions(database: Database): void {
  const library: typeof import('sqlite-vec') = createRequire(import.meta.url)('sqlite-vec');
  library.load(database);
}

/** A compiled statement. Its methods throw as `Sql` does. */
export class Prepared<Row> {
  constructor(
    private readonly statement: Statement<unknown[], Row>,
    private readonly attempt: <T>(work: () => T) => T,
  ) {}

  get(...parameters: unknown[]): Row | undefined {
    return this.attempt(() => this.statement.get(...parameters));
  }

  all(...parameters: unknown[]): Row[] {
    return this.attempt(() => this.statement.all(...parameters));
  }

  run(...parameters: unknown[]): RunResult {
    return this.attempt(() => this.statement.run(...parameters));
  }
}

/**
 * The palace's open file: statements are compiled once, and what SQLite refuses (a damaged file, a full
 * disk) is thrown as a `UserError` with its cure, see failures.ts.
 */
export class Sql {
  readonly #statements = new Map<string, Prepared<unknown>>();
  #vectorFunctions = false;

  constructor(private readonly database: Database) {}

  /** Nothing is written through this connection. */
  get readonly(): boolean {
    return this.database.readonly;
  }

  /** The compiled statement; `Row` states the columns that the text selects. */
  prepare<Row = unknown>(text: string): Prepared<Row> {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      const compiled = this.#attempt(() => this.#compile(text));
      statement = new Prepared(compiled, this.#attempt);
      this.#statements.set(text, statement);
    }
    return statement as Prepared<Row>;
  }

  /** The first row; its columns are those of `Row`, as everywhere below. */
  get<Row>(text: string, ...parameters: unknown[]): Row | undefined {
    return this.prepare<Row>(text).get(...parameters);
  }

  all<Row>(text: string, ...parameters: unknown[]): Row[] {
    return this.prepare<Row>(text).all(...parameters);
  }

  /** The first column of the first row. */
  value<T>(text: string, ...parameters: unknown[]): T | undefined {
    return Object.values(this.get<Record<string, T>>(text, ...parameters) ?? {})[0];
  }

  /** The first column of each row. */
  values<T>(text: string, ...parameters: unknown[]): T[] {
    return this.all<Record<string, T>>(text, ...parameters).map((row) => Object.values(row)[0] as T);
  }

  /** True when there is a row. */
  has(text: string, ...parameters: unknown[]): boolean {
    return this.get(text, ...parameters) !== undefined;
  }

  run(text: string, ...parameters: unknown[]): RunResult {
    return this.prepare(text).run(...parameters);
  }

  #compile(text: string): Statement<unknown[], unknown> {
    if (!this.#vectorFunctions && text.includes('vec_')) {
      addVectorFunctions(this.database);
      this.#vectorFunctions = true;
    }
    return this.database.prepare(text);
  }

  /** Runs statements to their end; what they return is not looked at. */
  exec(text: string): void {
    this.#attempt(() => this.database.exec(text));
  }

  /** The first thing that a pragma says; one that works as long as it is asked for rows is for `exec`. */
  pragma(text: string): unknown {
    return this.#attempt(() => this.database.pragma(text, { simple: true }));
  }

  /**
   * Runs `work` in a transaction that takes the write lock at once: a deferred one that reads first meets
   * SQLITE_BUSY without waiting when another writer came between.
   */
  write<T>(work: () => T): T {
    if (this.database.inTransaction) return work();
    return this.#attempt(() => this.database.transaction(work).immediate());
  }

  /** Runs `work`, which only reads, on one state of the palace, whatever is written meanwhile. */
  read<T>(work: () => T): T {
    if (this.database.inTransaction) return work();
    return this.#attempt(() => this.database.transaction(work).deferred());
  }

  /** Runs `work` with SQLite's guards against changes of its own tables off. */
  unguarded<T>(work: () => T): T {
    this.database.unsafeMode(true);
    try {
      return work();
    } finally {
      this.database.unsafeMode(false);
      this.database.pragma('writable_schema = OFF');
      this.#statements.clear();
    }
  }

  close(): void {
    this.database.close();
  }

  readonly #attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explainFailure(error, this.database.name);
    }
  };
}
