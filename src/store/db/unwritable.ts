import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../core/errors.js';
import { Database } from '../../platform/sqlite.js';

/** A larger palace is not read into memory, which is needed twice for a moment. */
const MOST_BYTES = 1024 ** 3;
/** In SQLite's header: 2 for a write-ahead log, 1 for a rollback journal. */
const WRITE_VERSION_AT = 18;
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
    // A database in memory has no WAL.
    if (bytes[WRITE_VERSION_AT] === 2) bytes[WRITE_VERSION_AT] = 1;
    if (bytes[READ_VERSION_AT] === 2) bytes[READ_VERSION_AT] = 1;
    return new Database(bytes, { readonly: true });
  } finally {
    closeSync(descriptor);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
