import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { isErrno, UserError } from '../../core/errors.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';

/** Wait for another program's lock. opencode itself does not lock its database for long. */
const LOCK_TIMEOUT_MS = 5_000;

/** Required columns; newer ones are optional (see `rows.ts`). */
const REQUIRED: Record<string, string[]> = {
  session: ['id', 'time_created'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'session_id', 'data'],
};

/**
 * Opens opencode's database in place and read-only, also while opencode runs, and begins a read transaction, so that
 * all reads see one state. Never copies it or opens it as immutable, which would lose the rows in its WAL.
 *
 * @throws UserError `unreadable` or `not-found`
 */
export function openSqlite(path: string, timeoutMs = LOCK_TIMEOUT_MS): Database {
  const refused = refusal(path);
  if (refused !== undefined) throw refused;
  let database: Database | undefined;
  try {
    database = new Database(path, { readonly: true, fileMustExist: true, timeout: timeoutMs });
    database.exec('BEGIN');
    checkSchema(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw explainFailure(error, path);
  }
}

/** Errors that the file system reports before SQLite opens the file. */
function refusal(path: string): UserError | undefined {
  try {
    const stat = statSync(path);
    if (stat.isDirectory())
      return unreadable(path, 'is a folder', 'give the path of the file opencode.db in it');
    if (!stat.isFile()) return unreadable(path, 'is not a file', "give the path of opencode's database");
    accessSync(path, constants.R_OK);
    return stat.size === 0
      ? unreadable(path, 'is empty', 'start opencode once, or give the path of the database it uses')
      : undefined;
  } catch (error) {
    if (isErrno(error, 'EACCES') || isErrno(error, 'EPERM')) return forbidden(path, error);
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) {
      return new UserError('not-found', `there is no database ${path}`, {
        hint: "give the path of opencode's database with --db",
        cause: error,
      });
    }
    return unreadable(path, 'is not accessible', 'check the path', error);
  }
}

/**
 * Describes a failure to read a database.
 *
 * @throws the failure itself when it is neither SQLite's nor the file system's: that is a bug
 */
export function explainFailure(error: unknown, path: string): UserError {
  if (error instanceof UserError) return error;
  if (isErrno(error, 'EACCES')) return forbidden(path, error);
  if (!isSqliteError(error)) throw error;
  const { code } = error;
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    const cure =
      'wait until the program that changes the whole database (such as a repair or an upgrade) is done';
    return unreadable(path, 'is locked by another program', `${cure}, then run this again`, error);
  }
  if (code === 'SQLITE_NOTADB') {
    return unreadable(path, 'is not an SQLite database', "give the path of opencode's own database", error);
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_IOERR_SHORT_READ') {
    const cure = 'put a backup in its place, or save what can be saved with: sqlite3 FILE .recover';
    return unreadable(path, 'is damaged or cut short', cure, error);
  }
  if (/^SQLITE_(CANTOPEN|PERM|READONLY)/.test(code)) {
    if (!lacksSharedMemory(path)) {
      const cure = 'check that it, its folder and its -wal and -shm files are readable';
      return unreadable(path, 'cannot be opened', cure, error);
    }
    const why =
      'its folder is not writable, and SQLite would have to make the missing file opencode.db-shm there';
    const cure = 'make the folder writable, or start opencode and run this while it runs';
    return unreadable(path, `cannot be read in place: ${why}`, cure, error);
  }
  return unreadable(path, `cannot be read (${error.message})`, 'check its disk', error);
}

/**
 * Whether the index of the WAL is missing, which a reader must then create. Byte 19 of SQLite's header is 2 in WAL mode.
 */
function lacksSharedMemory(path: string): boolean {
  if (existsSync(`${path}-shm`)) return false;
  const header = Buffer.alloc(20);
  try {
    const file = openSync(path, 'r');
    try {
      return readSync(file, header, 0, 20, 0) === 20 && header[19] === 2;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function checkSchema(database: Database, path: string): void {
  const tables = Object.entries(REQUIRED).map(([table, columns]) => {
    const present = columnsOf(database, table);
    const lacking = columns.filter((name) => !present.has(name)).map((name) => `column ${table}.${name}`);
    return present.size === 0 ? [`table ${table}`] : lacking;
  });
  const missing = tables.flat();
  if (missing.length === 0) return;
  if (tables.every(([first]) => first?.startsWith('table') === true))
    throw unreadable(path, "is a database, but not opencode's", 'give the path of opencode.db');
  const what = `has a form that this version does not know (no ${missing.join(', no ')})`;
  throw unreadable(path, what, 'a newer opencode may have changed it: update mempalace-toolkit');
}

/** Column names of a table or view; empty if it does not exist. */
export function columnsOf(database: Database, table: string): Set<string> {
  const names = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}

function forbidden(path: string, cause: unknown): UserError {
  const cure = 'run this as the user who runs opencode, or change its permissions';
  return unreadable(path, 'cannot be read: permission denied', cure, cause);
}

function unreadable(path: string, what: string, hint: string, cause?: unknown): UserError {
  return new UserError('unreadable', `${path} ${what}`, cause === undefined ? { hint } : { hint, cause });
}
