import { dirname } from 'node:path';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { isSqliteError } from '../../platform/sqlite.js';
import { networkFileSystem } from './file-system.js';

const FOLDER_HINT =
  'check that the folder is yours and writable (SQLite keeps its -wal and -shm next to the palace)';

export function damaged(message: string, cause?: unknown): UserError {
  return new UserError('palace-damaged', message, {
    hint: 'mempalace restore --last brings the last backup back; without one, move it away and run the feeders again',
    cause,
  });
}

/**
 * Explains SQLite's errors, with a hint. Other errors (a wrong statement, a violated constraint) are bugs, and are
 * returned unchanged.
 *
 * @returns UserError `palace-damaged`, `locked`, `failed`, or the error itself
 */
export function explainFailure(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error;
  const is = (codes: string) => new RegExp(`^SQLITE_(?:${codes})(?:_|$)`).test(error.code);
  const failed = (code: 'locked' | 'failed', what: string, hint: string) =>
    new UserError(code, `${file} ${what}: ${error.message}`, { hint, cause: error });
  if (is('NOTADB|CORRUPT')) return damaged(`${file} is not a readable palace: ${error.message}`, error);
  // A virtual table reports disk errors like this; a wrong statement has its own message.
  const bare = error.code === 'SQLITE_ERROR' && error.message === 'SQL logic error';
  if (bare || is('FULL|IOERR')) {
    const kind = networkFileSystem(dirname(file));
    const hint =
      kind === undefined || is('FULL')
        ? 'is the disk full? Make room and run the command again; what was filed stays'
        : `it is on a network or shared file system (${kind}), which may not support what SQLite needs, or be full; keep the palace on a local disk, or use that of another machine (docs/remote.md)`;
    return failed('failed', 'cannot be read or written', hint);
  }
  if (is('BUSY|LOCKED'))
    return failed('locked', 'is being written by another program', 'run the command again');
  return is('READONLY|CANTOPEN|PERM|AUTH') ? failed('failed', 'cannot be opened', FOLDER_HINT) : error;
}

/** As `explainFailure`, while opening the palace; explains errors of the file system, too. */
export function explainOpening(error: unknown, file: string): unknown {
  const refusal =
    (isSqliteError(error) && /^SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/.test(error.code)) ||
    ['EACCES', 'EROFS', 'EPERM', 'EEXIST', 'ENOTDIR', 'EISDIR'].some((code) => isErrno(error, code));
  if (!refusal) return explainFailure(error, file);
  return new UserError('unreadable', `cannot open the palace ${file}: ${messageOf(error)}`, {
    hint: FOLDER_HINT,
    cause: error,
  });
}
