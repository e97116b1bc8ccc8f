import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Database, RunResult, Statement } from 'better-sqlite3';
import { type Claim, replaced } from '../../platform/writers.js';
import { explainFailure } from './failures.js';

/**
 * Loads sqlite-vec into an open database. Writers need it for earlier schemas. Readers load it with the first statement
 * that uses vectors; a hook runs none, and so starts 10 % faster.
 */
export function addVectorFunctions(database: Database): void {
  const library: typeof import('sqlite-vec') = createRequire(import.meta.url)('sqlite-vec');
  library.load(database);
}

/**
 * An open palace file. Statements are compiled once. SQLite's errors (a damaged file, a full disk) are thrown as
 * `UserError` with a hint, see failures.ts.
 */
export class Sql {
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();
  #vectorFunctions = false;

  readonly #file: number | undefined;

  /** @param claim the right to write, released by `close`; absent for a file that no other program has open */
  constructor(
    private readonly database: Database,
    private readonly claim?: Claim,
  ) {
    // On a shared file system, where the numbers of files may change, SQLite itself looks for a file that was moved.
    const isLocal = claim !== undefined && database.pragma('journal_mode', { simple: true }) === 'wal';
    this.#file = isLocal ? this.#fileNow() : undefined;
  }

  #fileNow(): number | undefined {
    return statSync(this.database.name, { throwIfNoEntry: false })?.ino;
  }

  /** Looks whether this program may write still. Within a transaction: who replaces the palace waits for those that run. */
  #check(): void {
    this.claim?.check();
    if (this.#file !== undefined && this.#fileNow() !== this.#file) throw replaced();
  }

  get readonly(): boolean {
    return this.database.readonly;
  }

  /** The first row. */
  get<Row>(text: string, ...parameters: unknown[]): Row | undefined {
    return this.#attempt(() => this.#compiled(text).get(...parameters) as Row | undefined);
  }

  all<Row>(text: string, ...parameters: unknown[]): Row[] {
    return this.#attempt(() => this.#compiled(text).all(...parameters) as Row[]);
  }

  /** The first column of the first row. */
  value<T>(text: string, ...parameters: unknown[]): T | undefined {
    return Object.values(this.get<Record<string, T>>(text, ...parameters) ?? {})[0];
  }

  /** The first column of each row. */
  values<T>(text: string, ...parameters: unknown[]): T[] {
    return this.all<Record<string, T>>(text, ...parameters).map((row) => Object.values(row)[0] as T);
  }

  /** @param from tables and conditions: `FROM drawers WHERE …` */
  count(from: string, ...parameters: unknown[]): number {
    return this.value<number>(`SELECT count(*) ${from}`, ...parameters) ?? 0;
  }

  has(text: string, ...parameters: unknown[]): boolean {
    return this.get(text, ...parameters) !== undefined;
  }

  run(text: string, ...parameters: unknown[]): RunResult {
    if (this.claim !== undefined && !this.database.inTransaction)
      return this.write(() => this.run(text, ...parameters));
    return this.#attempt(() => this.#compiled(text).run(...parameters));
  }

  #compiled(text: string): Statement<unknown[], unknown> {
    let statement = this.#statements.get(text);
    if (statement !== undefined) return statement;
    if (!this.#vectorFunctions && text.includes('vec_')) {
      addVectorFunctions(this.database);
      this.#vectorFunctions = true;
    }
    statement = this.database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  exec(text: string): void {
    this.#attempt(() => {
      if (!this.database.inTransaction) this.#check();
      this.database.exec(text);
    });
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
    const checked = (): T => {
      this.#check();
      return work();
    };
    return this.#attempt(() => this.database.transaction(checked).immediate());
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
    this.claim?.release();
  }

  readonly #attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explainFailure(error, this.database.name);
    }
  };
}
