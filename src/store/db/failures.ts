import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { isSqliteError } from '../../platform/sqlite.js';

const FOLDER_HINT =
  'check that the folder is yours and writable (SQLite keeps its -wal and -shm beside the palace)';

/** @returns UserError `palace-damaged`, with the way out */
export function damaged(message: string, cause?: unknown): UserError {
  return new UserError('palace-damaged', message, {
    hint: 'mempalace restore --last brings the last backup back; without one, move it away and run the feeders again',
    cause,
  });
}

/**
 * SQLite's refusals as sentences with a cure; everything else (a wrong statement, a broken rule of the
 * schema) is a bug and comes back as it is.
 *
 * @returns UserError `palace-damaged`, `locked`, `failed`, or the error itself
 */
export function explainFailure(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error;
  const is = (codes: string) => new RegExp(`^SQLITE_(?:${codes})(?:_|$)`).test(error.code);
  const failed = (code: 'locked' | 'failed', what: string, hint: string) =>
    new UserError(code, `${file} ${what}: ${error.message}`, { hint, cause: error });
  if (is('NOTADB|CORRUPT')) return damaged(`${file} is not a readable palace: ${error.message}`, error);
  // A virtual table that the disk refuses passes on no reason; what is wrong with a statement has a text of its own.
  const bare = error.code === 'SQLITE_ERROR' && error.message === 'SQL logic error';
  if (bare || is('FULL|IOERR')) {
    const hint = 'is the disk full? Make room and run the command again; what was filed stays';
    return failed('failed', 'cannot be read or written', hint);
  }
  if (is('BUSY|LOCKED'))
    return failed('locked', 'is being written by another program', 'run the command again');
  return is('READONLY|CANTOPEN|PERM|AUTH') ? failed('failed', 'cannot be opened', FOLDER_HINT) : error;
}

/** As `explainFailure`, for what happens while the palace is opened: the file system refuses things, too. */
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
