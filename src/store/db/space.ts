import type { Sql } from './sql.js';

/** Free pages are returned to the file system when they are more than this share of the file. */
const VACUUM_SHARE = 0.1;

export function returnFreePages(sql: Sql): void {
  const pages = Number(sql.pragma('page_count'));
  const free = Number(sql.pragma('freelist_count'));
  if (free > pages * VACUUM_SHARE) sql.exec('PRAGMA incremental_vacuum');
}

/**
 * Rewrites the whole file.
 *
 * @param folder for the unnamed temporary copy; the palace's own folder, as the copy contains the same private text
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
 * Moves the content of the WAL into the file, and empties it.
 *
 * @param waitMs wait for readers
 * @returns false when a reader kept it: a later call empties it
 */
export function emptyLog(sql: Sql, waitMs: number): boolean {
  const patience = Number(sql.pragma('busy_timeout'));
  sql.exec(`PRAGMA busy_timeout = ${waitMs}`);
  const busy = sql.pragma('wal_checkpoint(TRUNCATE)');
  sql.exec(`PRAGMA busy_timeout = ${patience}`);
  return busy === 0;
}

/** Unused bytes of the file, including gaps within pages. Walks the file. */
export function unusedBytes(sql: Sql): number {
  const free = Number(sql.pragma('freelist_count')) * Number(sql.pragma('page_size'));
  return free + (sql.value<number | null>('SELECT sum(unused) FROM dbstat WHERE aggregate = 1') ?? 0);
}

/** Deletes the query planner's samples of index keys, which may contain names. It makes new ones later. */
export function dropSamples(sql: Sql): void {
  if (sql.has("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'"))
    sql.exec('DELETE FROM sqlite_stat4');
}

/** Deletes the query planner's statistics, and plans without them from now on. */
export function forgetStatistics(sql: Sql): void {
  const isAnalysed = sql.has("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'");
  if (!isAnalysed || !sql.has('SELECT 1 FROM sqlite_stat1')) return;
  sql.exec('DELETE FROM sqlite_stat1');
  dropSamples(sql);
  sql.exec('ANALYZE sqlite_schema');
}
