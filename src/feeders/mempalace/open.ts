import { statSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import { NotRegularFile } from '../../platform/regular-file.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';

const BUSY_MS = 5_000;
/** Tables with their required columns. The others are optional. */
type Layout = Record<string, string[]>;
const GRAPH: Layout = { entities: ['id', 'name'], triples: ['subject', 'predicate', 'object'] };

/** Opens a snapshot for reading. @throws UserError `unreadable` for another file or a damaged database */
export function openTheirs(file: string, what: string, layout: Layout): Database {
  let database: Database | undefined;
  try {
    // SQLite would wait for the writer of a named pipe.
    if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? true)) throw new NotRegularFile(file);
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    database.exec('BEGIN');
    requireLayout(database, layout, file, what);
    return database;
  } catch (error) {
    database?.close();
    throw explained(error, file);
  }
}

function requireLayout(database: Database, layout: Layout, file: string, what: string): void {
  const tables = tablesOf(database);
  const names = Object.keys(layout);
  if (!names.every((name) => tables.has(name))) {
    throw new UserError('unreadable', `${file} is not ${what} of MemPalace`, {
      hint: `${what} has the tables ${names.join(' and ')}; import-chroma reads a palace, facts import a knowledge graph`,
    });
  }
  const missing = names.flatMap((table) => {
    const present = columnsOf(database, table);
    return layout[table]?.flatMap((name) => (present.has(name) ? [] : [`${table}.${name}`])) ?? [];
  });
  if (missing.length === 0) return;
  throw new UserError('unreadable', `${file} has an unknown layout (${missing.join(', ')} is missing)`, {
    hint: 'a newer version may have changed it: update mempalace-toolkit',
  });
}

/** A UserError for an error of SQLite; any other error itself. */
export function explained(error: unknown, file: string): unknown {
  if (error instanceof NotRegularFile)
    return new UserError('unreadable', error.message, { hint: 'name the database itself', cause: error });
  if (!isSqliteError(error)) return error;
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

export function tablesOf(database: Database): Set<unknown> {
  return new Set(database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
}

export function columnsOf(database: Database, table: string): Set<unknown> {
  return new Set(database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table));
}

/**
 * The facts in MemPalace's `knowledge_graph.sqlite3`, in the order of their rows, with the names of the entities.
 *
 * @throws UserError `unreadable` for another file or a damaged one
 */
export function theirFacts(file: string): unknown[] {
  const database = openTheirs(file, 'a knowledge graph', GRAPH);
  try {
    return database
      .prepare(
        `SELECT t.*, coalesce(s.name, t.subject) AS subject, coalesce(o.name, t.object) AS object FROM triples t
         LEFT JOIN entities s ON s.id = t.subject LEFT JOIN entities o ON o.id = t.object ORDER BY t.rowid`,
      )
      .all();
  } catch (error) {
    throw explained(error, file);
  } finally {
    database.close();
  }
}
