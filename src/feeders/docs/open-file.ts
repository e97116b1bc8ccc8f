import { closeSync, constants, type Dirent, openSync, readdirSync } from 'node:fs';
import type { Skipped } from '../../core/contract.js';
import { isErrno, messageOf } from '../../core/errors.js';
import { DESCRIPTORS, isOpenedFrom, OPEN_FOLDER } from '../../platform/opened-path.js';

/** Opens nothing through a link and never waits, as opening a FIFO would; what is missing on Windows is 0. */
export const OPEN_REGULAR = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A folder above it was a link, or another, when it was opened: nothing of it was read. */
export class Elsewhere extends Error {
  constructor(path: string) {
    super(`${path} lay elsewhere when it was opened: a folder above it was swapped`);
    this.name = 'Elsewhere';
  }
}

/**
 * A file of a project, open for reading. To be closed by the caller.
 *
 * @throws Elsewhere, or the file system's error
 */
export function openInProject(path: string, root: string): number {
  const file = openSync(path, OPEN_REGULAR);
  try {
    if (isOpenedFrom(file, path, root)) return file;
    throw new Elsewhere(path);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Lists a folder of a project.
 *
 * @throws Elsewhere, or the file system's error
 */
export function listInProject(path: string, root: string): Dirent[] {
  // A folder cannot be opened on Windows.
  if (process.platform === 'win32') return readdirSync(path, { withFileTypes: true });
  const folder = openSync(path, OPEN_FOLDER);
  try {
    const by = DESCRIPTORS === undefined ? path : `${DESCRIPTORS}/${folder}`;
    const items = readdirSync(by, { withFileTypes: true });
    if (isOpenedFrom(folder, path, root)) return items;
    throw new Elsewhere(path);
  } finally {
    closeSync(folder);
  }
}

/** How a file or folder is counted that could not be opened: gone, something else by now, or a problem. */
export function skipForError(origin: string, error: unknown): Skipped {
  // Node gives names that are not UTF-8 in a form that leads nowhere.
  const notUtf8 = origin.includes('\ufffd');
  if (isErrno(error, 'ENOENT') && !notUtf8) return { origin, reason: 'vanished' };
  if (isErrno(error, 'ELOOP') || isErrno(error, 'EMLINK')) return { origin, reason: 'symlink' };
  if (error instanceof Elsewhere)
    return { origin, reason: 'moved while it was read', detail: error.message, problem: true };
  if (isErrno(error, 'ENXIO')) return { origin, reason: 'not a regular file' };
  const detail = notUtf8 ? 'its name is not UTF-8' : messageOf(error);
  return { origin, reason: 'unreadable', detail, problem: true };
}
