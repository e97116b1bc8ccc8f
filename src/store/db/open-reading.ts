import { existsSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';
import { explainOpening } from './failures.js';
import { networkFileSystem } from './file-system.js';
import { refuseForeignHands } from './ownership.js';
import { palaceFile } from './palace-file.js';
import { refuseNewer, SCHEMA_VERSION, schemaVersion } from './schema-version.js';
import { readUnwritable } from './unwritable.js';

/**
 * Larger than any palace of one person; the operating system maps only what is read. For readers: a writer that maps
 * the file carries all of it in its resident memory (690 MB instead of 430 for a session of 200 MB).
 */
const MMAP_BYTES = 4 * 1024 ** 3;
/** How long another program's lock on the palace is waited for. */
export const BUSY_MS = 5_000;

export interface OpeningOptions {
  /** How long a program that holds the palace is waited for, in milliseconds. */
  waitMs: number;
  /** Called with the folder of a palace of an earlier version: brings it up to date, or throws. */
  onOlder: (folder: string) => void;
}

/**
 * Opens the palace for reading; never creates or changes anything but SQLite's own `-shm` and `-wal`. One in a folder that
 * cannot be written is read into memory.
 *
 * @throws UserError `not-found`, `palace-newer`, `palace-damaged`, `unreadable`, `locked`, `failed` (others may write
 *   it); and what `onOlder` throws
 */
export function openForReading(folder: string, { waitMs, onOlder }: OpeningOptions): Database {
  const file = palaceFile(folder);
  if (!existsSync(file)) {
    throw new UserError('not-found', `there is no palace at ${folder}`, {
      hint: 'fill one with `mempalace-docs <dir>` or `mempalace-session`, or name another with --palace',
    });
  }
  refuseForeignHands(folder);
  return guarded(file, () => {
    const open = () => new Database(file, { readonly: true, fileMustExist: true, timeout: waitMs });
    const { database: first, older } = opened(open, file);
    let database = first;
    if (older) {
      database.close();
      onOlder(folder);
      database = open();
    }
    return closeOnError(database, () => {
      refuseNewer(database, file);
      if (schemaVersion(database) === 0) {
        throw new UserError('not-found', `the palace at ${folder} is empty`, {
          hint: 'fill it with `mempalace-docs <dir>` or `mempalace-session`',
        });
      }
      if (networkFileSystem(folder) === undefined) database.pragma(`mmap_size = ${MMAP_BYTES}`);
    });
  });
}

/**
 * For callers that cannot wait for a migration.
 *
 * @throws UserError `failed`
 */
export function refuseOlder(folder: string): never {
  throw new UserError('failed', `the palace at ${folder} is of an earlier version`, {
    hint: 'any other command brings it up to date',
  });
}

/** An open palace, and whether it is of an earlier version. One in a folder that cannot be written is read into memory. */
export function opened(open: () => Database, file: string): { database: Database; older: boolean } {
  try {
    const database = open();
    return { database, older: isOlder(database) };
  } catch (error) {
    const refused = isSqliteError(error) && /^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code);
    const database = refused ? readUnwritable(file) : undefined;
    if (database === undefined) throw error;
    return { database, older: isOlder(database) };
  }
}

function isOlder(database: Database): boolean {
  let version = 0;
  closeOnError(database, () => {
    version = schemaVersion(database);
  });
  return version > 0 && version < SCHEMA_VERSION;
}

/** Closes the database when what prepares it throws. */
export function closeOnError(database: Database, prepare: () => void): Database {
  try {
    prepare();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What goes wrong while a palace is opened, told as `explainOpening` does. */
export function guarded<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw explainOpening(error, file);
  }
}
