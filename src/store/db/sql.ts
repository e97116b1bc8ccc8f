import { createRequire } from 'node:module';
import type { Database, RunResult, Statement } from 'better-sqlite3';
import { explainFailure } from './failures.js';

/**
 * Loads sqlite-vec into an open database. Writers need it for earlier schemas. Readers load it with the first statement
 * that uses vectors; a hook runs none, and so starts 10 % faster.
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
 * An open palace file. Statements are compiled once. SQLite's errors (a damaged file, a full disk) are thrown as
 * `UserError` with a hint, see failures.ts.
 */
export class Sql {
  readonly #statements = new Map<string, Prepared<unknown>>();
  #vectorFunctions = false;

  constructor(private readonly database: Database) {}

  get readonly(): boolean {
    return this.database.readonly;
  }

  /** @typeParam Row the selected columns */
  prepare<Row = unknown>(text: string): Prepared<Row> {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      const compiled = this.#attempt(() => this.#compile(text));
      statement = new Prepared(compiled, this.#attempt);
      this.#statements.set(text, statement);
    }
    return statement as Prepared<Row>;
  }

  /** The first row. */
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

  /** Runs statements; their rows are ignored. */
  exec(text: string): void {
    this.#attempt(() => this.database.exec(text));
  }

  /** The first value of a pragma. A pragma that continues to work while rows are read needs `exec`. */
  pragma(text: string): unknown {
    return this.#attempt(() => this.database.pragma(text, { simple: true }));
  }

  /**
   * Runs `work` in a transaction that takes the write lock at the start: a deferred one that reads first fails with
   * SQLITE_BUSY at once if another program has written in between.
   */
  write<T>(work: () => T): T {
    if (this.database.inTransaction) return work();
    return this.#attempt(() => this.database.transaction(work).immediate());
  }

  /** Runs `work`, which only reads, on one state of the palace. */
  read<T>(work: () => T): T {
    if (this.database.inTransaction) return work();
    return this.#attempt(() => this.database.transaction(work).deferred());
  }

  /** Runs `work` with SQLite's protection of its own tables switched off. */
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
