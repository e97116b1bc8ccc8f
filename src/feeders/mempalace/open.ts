import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';

const FILE = 'chroma.sqlite3';
/** Required columns. The others are optional (see `rows.ts`). */
const NEEDED = {
  embeddings: ['id', 'embedding_id', 'segment_id'],
  embedding_metadata: ['id', 'key', 'string_value'],
};
const BUSY_MS = 5_000;

/** The file of a palace. @param given its folder or the file, absolute @throws UserError `not-found` */
export function chromaFile(given: string): string {
  const file = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true ? join(given, FILE) : given;
  if (existsSync(file)) return file;
  throw new UserError('not-found', `there is no ${file}`, {
    hint: 'name the folder of a MemPalace palace, such as ~/.mempalace/palace of the Python program',
  });
}

/** Opens a snapshot for reading. @throws UserError `unreadable` for another file or a damaged database */
export function openChroma(file: string): Database {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    database.exec('BEGIN');
    const refused = refusal(database, file);
    if (refused === undefined) return database;
    database.close();
    throw refused;
  } catch (error) {
    database?.close();
    throw explainChroma(error, file);
  }
}

function refusal(database: Database, file: string): UserError | undefined {
  const tables = tablesOf(database);
  if (!Object.keys(NEEDED).every((name) => tables.has(name))) {
    return new UserError('unreadable', `${file} is not a palace of MemPalace`, {
      hint: `a Chroma database has the tables ${Object.keys(NEEDED).join(' and ')}`,
    });
  }
  for (const [table, columns] of Object.entries(NEEDED)) {
    const present = columnsOf(database, table);
    const missing = columns.filter((name) => !present.has(name));
    if (missing.length === 0) continue;
    const what = missing.map((name) => `${table}.${name}`).join(', ');
    return new UserError('unreadable', `${file} has an unknown layout (${what} is missing)`, {
      hint: 'a newer Chroma may have changed it: update mempalace-toolkit',
    });
  }
  return undefined;
}

/** @throws the error itself when it is not from SQLite, which is a bug */
export function explainChroma(error: unknown, file: string): UserError {
  if (error instanceof UserError || !isSqliteError(error)) throw error;
  return new UserError('unreadable', `${file} cannot be read: ${error.message}`, {
    hint: hintFor(error.code),
    cause: error,
  });
}

function hintFor(code: string): string {
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return 'name a backup of the folder, or recover its data with: sqlite3 FILE .recover';
  // In WAL mode a reader creates a -shm file, which fails in a read-only folder.
  if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code))
    return 'copy its folder, with the files chroma.sqlite3-wal and -shm, to a writable place, and name the copy';
  return 'end the programs that use it, or name a copy of the folder';
}

export function tablesOf(database: Database): Set<string> {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}

export function columnsOf(database: Database, table: string): Set<string> {
  const names = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}
