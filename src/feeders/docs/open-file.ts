import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import type { Skipped } from '../../core/contract.js';
import { isErrno, messageOf } from '../../core/errors.js';
import { DESCRIPTORS, isOpenedFrom, OPEN_FOLDER } from '../../platform/opened-path.js';

/** Does not follow links, and does not block on a FIFO. On Windows some of these flags do not exist. */
export const OPEN_REGULAR = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A folder above the opened file was replaced or became a link. The file is not read. */
export class ReplacedFolder extends Error {
  constructor(path: string) {
    super(`${path} was not read: a folder above it was replaced`);
    this.name = 'ReplacedFolder';
  }
}

/** Opens a file of a project for reading. The caller closes it. @throws ReplacedFolder, or the file system's error */
export function openInProject(path: string, root: string): number {
  const file = openSync(path, OPEN_REGULAR);
  try {
    if (isOpenedFrom(file, path, root)) return file;
    throw new ReplacedFolder(path);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The beginning of a file of a project; empty if it is not a regular file. @throws as `openInProject` */
export function readInProject(path: string, root: string, limit: number): { stat: Stats; head: Buffer } {
  const file = openInProject(path, root);
  try {
    const stat = fstatSync(file);
    const head = Buffer.alloc(stat.isFile() ? Math.min(stat.size, limit) : 0);
    return { stat, head: head.subarray(0, readSync(file, head, 0, head.length, 0)) };
  } finally {
    closeSync(file);
  }
}

/** Lists a folder of a project. @throws ReplacedFolder, or the file system's error */
export function listInProject(path: string, root: string): Dirent[] {
  // A folder cannot be opened on Windows.
  if (process.platform === 'win32') return readdirSync(path, { withFileTypes: true });
  const folder = openSync(path, OPEN_FOLDER);
  try {
    const by = DESCRIPTORS === undefined ? path : `${DESCRIPTORS}/${folder}`;
    const items = readdirSync(by, { withFileTypes: true });
    if (isOpenedFrom(folder, path, root)) return items;
    throw new ReplacedFolder(path);
  } finally {
    closeSync(folder);
  }
}

/** Whether a file of a project is missing, or is a link or a socket, which are not read. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO'].some((code) => isErrno(error, code));
}

export function skipForError(origin: string, error: unknown): Skipped {
  // Node cannot open a name that is not UTF-8: it shows the name with replacement characters.
  const notUtf8 = origin.includes('\ufffd');
  if (isErrno(error, 'ENOENT') && !notUtf8) return { origin, reason: 'vanished' };
  if (isErrno(error, 'ELOOP') || isErrno(error, 'EMLINK')) return { origin, reason: 'symlink' };
  if (error instanceof ReplacedFolder)
    return { origin, reason: 'moved while it was read', detail: error.message, problem: true };
  if (isErrno(error, 'ENXIO')) return { origin, reason: 'not a regular file' };
  const detail = notUtf8 ? 'its name is not UTF-8' : messageOf(error);
  return { origin, reason: 'unreadable', detail, problem: true };
}
