import { accessSync, constants, statSync } from 'node:fs';
import { isErrno, UserError } from '../../core/errors.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';

/** Wait for another program's lock. opencode itself does not lock its database for long. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Opens opencode's database in place and read-only, also while opencode runs, and begins a read transaction, so that
 * all reads see one state. Never copies it or opens it as immutable, which would lose the rows in its WAL.
 *
 * @throws UserError `unreadable` or `not-found`
 */
export function openSqlite(path: string, timeoutMs = LOCK_TIMEOUT_MS): Database {
  let database: Database | undefined;
  try {
    checkFile(path);
    database = new Database(path, { readonly: true, fileMustExist: true, timeout: timeoutMs });
    database.exec('BEGIN');
    // Reads its first page: another file is found out here.
    columnsOf(database, 'session');
    return database;
  } catch (error) {
    database?.close();
    throw explainFailure(error, path);
  }
}

function checkFile(path: string): void {
  const stat = statSync(path);
  if (stat.isDirectory())
    throw unreadable(path, 'is a folder', 'give the path of the file opencode.db in it');
  if (!stat.isFile()) throw unreadable(path, 'is not a file', "give the path of opencode's database");
  accessSync(path, constants.R_OK);
  if (stat.size === 0)
    throw unreadable(path, 'is empty', 'start opencode once, or give the path of the database it uses');
}

/** By code of SQLite: what is wrong with the database, and what the user can do. */
const FAILURES: readonly [RegExp, string, string][] = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'is locked by another program',
    'wait until the program that changes the whole database (such as a repair or an upgrade) is done, then run this again',
  ],
  [/^SQLITE_NOTADB$/, 'is not an SQLite database', "give the path of opencode's own database"],
  [
    /^SQLITE_(CORRUPT|IOERR_SHORT_READ$)/,
    'is damaged or cut short',
    'put a backup in its place, or save what can be saved with: sqlite3 FILE .recover',
  ],
  [
    /^SQLITE_(CANTOPEN|PERM|READONLY)/,
    'cannot be opened',
    'check that it and its -wal file are readable; if the file opencode.db-shm is missing, make the folder writable, or start opencode and run this while it runs',
  ],
];

/**
 * Describes a failure to read a database.
 *
 * @throws the failure itself when it is neither SQLite's nor the file system's: that is a bug
 */
export function explainFailure(error: unknown, path: string): UserError {
  if (error instanceof UserError) return error;
  if (isErrno(error, 'EACCES') || isErrno(error, 'EPERM')) {
    const cure = 'run this as the user who runs opencode, or change its permissions';
    return unreadable(path, 'cannot be read: permission denied', cure, error);
  }
  if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) {
    return new UserError('not-found', `there is no database ${path}`, {
      hint: "give the path of opencode's database with --db",
      cause: error,
    });
  }
  if (!isSqliteError(error)) throw error;
  const [, what, cure] = FAILURES.find(([code]) => code.test(error.code)) ?? [];
  return unreadable(path, what ?? `cannot be read (${error.message})`, cure ?? 'check its disk', error);
}

/** Column names of a table or view; empty if it does not exist. */
export function columnsOf(database: Database, table: string): Set<string> {
  const names = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}

export function unreadable(path: string, what: string, hint: string, cause?: unknown): UserError {
  return new UserError('unreadable', `${path} ${what}`, cause === undefined ? { hint } : { hint, cause });
}
