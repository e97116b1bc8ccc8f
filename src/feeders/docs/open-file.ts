import { constants } from 'node:fs';
import type { Skipped } from '../../common/contract.js';
import { isErrno, messageOf } from '../../common/errors.js';

/** Opens nothing through a link and never waits, as opening a FIFO would; what is missing on Windows is 0. */
export const OPEN_REGULAR = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** How a file or folder is counted that could not be opened: gone, something else by now, or a problem. */
export function skipForError(origin: string, error: unknown): Skipped {
  // Node gives names that are not UTF-8 in a form that leads nowhere.
  const notUtf8 = origin.includes('\ufffd');
  if (isErrno(error, 'ENOENT') && !notUtf8) return { origin, reason: 'vanished' };
  if (isErrno(error, 'ELOOP') || isErrno(error, 'EMLINK')) return { origin, reason: 'symlink' };
  if (isErrno(error, 'ENXIO')) return { origin, reason: 'not a regular file' };
  const detail = notUtf8 ? 'its name is not UTF-8' : messageOf(error);
  return { origin, reason: 'unreadable', detail, problem: true };
}
