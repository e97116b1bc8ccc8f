import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../core/errors.js';
import { Database } from '../../platform/sqlite.js';

/** A larger palace is not read into memory, which is needed twice for a moment. */
export const MOST_BYTES = 1024 ** 3;
/** In SQLite's header: 2 for a write-ahead log, 1 for a rollback journal. */
export const WRITE_VERSION_AT = 18;
export const WAL = 2;
const READ_VERSION_AT = 19;

const COPY = 'copy the folder to a disk that you can write, and name the copy with --palace';

/**
 * Reads a palace in a read-only folder into memory: SQLite cannot create the shared memory of the WAL there. (SQLite's
 * `immutable` cannot be used, as better-sqlite3 does not accept URIs.)
 *
 * @returns undefined when the folder can be written, so that the problem is another one
 * @throws UserError `unreadable` when the WAL is not empty or the file is too large; `locked` when another program
 *   writes it meanwhile
 */
export function readUnwritable(file: string, mostBytes = MOST_BYTES): Database | undefined {
  if (isWritable(dirname(file))) return undefined;
  const unreadable = (what: string, hint: string) =>
    new UserError('unreadable', `${file} is in a folder that cannot be written, and ${what}`, { hint });
  const refuseLog = () => {
    if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
    throw unreadable('its log is not empty', `run mempalace status where it can be written; or ${COPY}`);
  };
  refuseLog();
  const descriptor = openSync(file, 'r');
  try {
    const before = fstatSync(descriptor);
    if (before.size > mostBytes) throw unreadable(`has ${before.size} bytes, too many for memory`, COPY);
    const bytes = readFileSync(descriptor);
    refuseLog();
    const after = fstatSync(descriptor);
    if (bytes.length !== after.size || before.mtimeMs !== after.mtimeMs) {
      throw new UserError('locked', `${file} is being written by another program`, {
        hint: 'run the command again',
      });
    }
    return inMemory(bytes);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens the bytes of a database file, which are changed: a database in memory has no WAL. */
export function inMemory(bytes: Buffer): Database {
  for (const at of [WRITE_VERSION_AT, READ_VERSION_AT]) if (bytes[at] === WAL) bytes[at] = 1;
  return new Database(bytes, { readonly: true });
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
