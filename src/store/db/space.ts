import type { Sql } from './sql.js';

/** Free pages are given back to the file system from this share of the file on. */
const VACUUM_SHARE = 0.1;

/** Gives free pages back where there are many. */
export function returnFreePages(sql: Sql): void {
  const pages = Number(sql.pragma('page_count'));
  const free = Number(sql.pragma('freelist_count'));
  if (free > pages * VACUUM_SHARE) sql.exec('PRAGMA incremental_vacuum');
}

/**
 * Rewrites the whole file.
 *
 * @param folder where the copy lies meanwhile, unnamed: it holds everything that the palace holds, so in its own
 */
export function vacuum(sql: Sql, folder: string): void {
  const before = process.env.SQLITE_TMPDIR;
  process.env.SQLITE_TMPDIR = folder;
  try {
    sql.exec('VACUUM');
  } finally {
    if (before === undefined) delete process.env.SQLITE_TMPDIR;
    else process.env.SQLITE_TMPDIR = before;
  }
}

/**
 * Moves what the write-ahead log holds into the file, and empties it.
 *
 * @param waitMs how long readers are waited for
 * @returns false when one kept it: a later call empties it
 */
export function emptyLog(sql: Sql, waitMs: number): boolean {
  const patience = Number(sql.pragma('busy_timeout'));
  sql.exec(`PRAGMA busy_timeout = ${waitMs}`);
  const busy = sql.pragma('wal_checkpoint(TRUNCATE)');
  sql.exec(`PRAGMA busy_timeout = ${patience}`);
  return busy === 0;
}

/** Bytes of the file that hold nothing, within pages too; some are left by any vacuum. Walks the file. */
export function unusedBytes(sql: Sql): number {
  const free = Number(sql.pragma('freelist_count')) * Number(sql.pragma('page_size'));
  return free + (sql.value<number | null>('SELECT sum(unused) FROM dbstat WHERE aggregate = 1') ?? 0);
}

/** What the query planner learnt are samples of index keys, the names of things among them: it learns again. */
export function dropStatistics(sql: Sql): void {
  if (sql.has("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'"))
    sql.exec('DELETE FROM sqlite_stat4');
}
