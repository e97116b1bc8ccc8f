import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { isSqliteError } from '../../platform/sqlite.js';

/**
 * SQLite's refusals as sentences with a cure; everything else (a wrong statement, a broken rule of the
 * schema) is a bug and comes back as it is.
 *
 * @returns UserError `palace-damaged`, `locked`, `failed`, or the error itself
 */
export function explainFailure(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error;
  const { code } = error;
  const is = (...codes: string[]) => codes.some((each) => code === each || code.startsWith(`${each}_`));
  const failure = (kind: 'palace-damaged' | 'locked' | 'failed', what: string, hint: string) =>
    new UserError(kind, `${file} ${what}: ${messageOf(error)}`, { hint, cause: error });
  if (is('SQLITE_NOTADB', 'SQLITE_CORRUPT')) {
    return failure(
      'palace-damaged',
      'is not a readable palace',
      'mempalace restore --last brings the last backup back; without one, move it away and run the feeders again',
    );
  }
  // A virtual table that the disk refuses passes on no reason; what is wrong with a statement has a text of its own.
  const bare = code === 'SQLITE_ERROR' && error.message === 'SQL logic error';
  if (bare || is('SQLITE_FULL', 'SQLITE_IOERR')) {
    return failure(
      'failed',
      'cannot be read or written',
      'is the disk full? Make room and run the command again; what was filed stays',
    );
  }
  if (is('SQLITE_BUSY', 'SQLITE_LOCKED')) {
    return failure('locked', 'is being written by another program', 'run the command again');
  }
  if (is('SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'SQLITE_AUTH')) {
    return failure(
      'failed',
      'cannot be opened',
      'check that the folder is yours and writable (SQLite keeps its -wal and -shm beside the palace)',
    );
  }
  return error;
}

/** As `explainFailure`, for what happens while the palace is opened: the file system refuses things, too. */
export function explainOpening(error: unknown, file: string): unknown {
  const refusal =
    (isSqliteError(error) && /^SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/.test(error.code)) ||
    ['EACCES', 'EROFS', 'EPERM', 'EEXIST', 'ENOTDIR', 'EISDIR'].some((code) => isErrno(error, code));
  if (!refusal) return explainFailure(error, file);
  return new UserError('unreadable', `cannot open the palace ${file}: ${messageOf(error)}`, {
    hint: 'check that the folder is yours and writable (SQLite keeps its -wal and -shm beside the palace)',
    cause: error,
  });
}
