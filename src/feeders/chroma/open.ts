import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { UserError } from '../../common/errors.js';

const FILE = 'chroma.sqlite3';
const NEEDED = ['embeddings', 'embedding_metadata'];
const BUSY_MS = 5_000;

/**
 * The file of a MemPalace palace.
 *
 * @param given its folder, or the file itself; absolute
 * @throws UserError `not-found`
 */
export function chromaFile(given: string): string {
  const file = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true ? join(given, FILE) : given;
  if (existsSync(file)) return file;
  throw new UserError('not-found', `there is no ${file}`, {
    hint: 'name the folder of a MemPalace palace, such as ~/.mempalace/palace of the Python program',
  });
}

/**
 * Opens it for reading, as it is at this moment.
 *
 * @throws UserError `unreadable` for what is no Chroma database, or a damaged one
 */
export function openChroma(file: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    database.exec('BEGIN');
    const tables = tablesOf(database);
    if (NEEDED.every((name) => tables.has(name))) return database;
  } catch (error) {
    database?.close();
    throw explainChroma(error, file);
  }
  database.close();
  throw new UserError('unreadable', `${file} is no palace of MemPalace`, {
    hint: `a Chroma database has the tables ${NEEDED.join(' and ')}`,
  });
}

/** @throws the error itself when it is not SQLite's: that is a bug */
export function explainChroma(error: unknown, file: string): UserError {
  if (!(error instanceof Database.SqliteError)) throw error;
  return new UserError('unreadable', `${file} cannot be read: ${error.message}`, {
    hint: 'end the programs that use it, or name a copy of the folder',
    cause: error,
  });
}

export function tablesOf(database: Database.Database): Set<string> {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}

/** Names of a table's columns. */
export function columnsOf(database: Database.Database, table: string): Set<string> {
  const names = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}
