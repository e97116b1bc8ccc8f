import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW = 0, O_DIRECTORY = 0, O_NONBLOCK = 0 } = constants;
/** For a folder that is listed by its descriptor. A link is not followed. Flags that Windows lacks are 0. */
export const OPEN_FOLDER = O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK;

/** Linux names the file of an open descriptor here. */
export const DESCRIPTORS = process.platform === 'linux' ? '/proc/self/fd' : undefined;
const DELETED = ' (deleted)';

/**
 * Whether a descriptor was opened from this path without following a link below `root`. Callers check this after
 * opening and before reading: a folder of the path may have been a link for a moment, and `O_NOFOLLOW` checks only the
 * last component.
 *
 * Linux names the file of a descriptor. On other systems the paths and the identity of the file are compared twice: a
 * program that swaps folders four times, in step with these calls, is not noticed.
 *
 * @param root absolute, above `path`; links in it or above it are the user's own
 */
export function isOpenedFrom(descriptor: number, path: string, root: string): boolean {
  const name = nameOf(descriptor);
  if (name === undefined) return isNamed(descriptor, path, root) && isNamed(descriptor, path, root);
  if (name === path) return true;
  const seen = nameOfFolder(root);
  const own = seen === undefined ? path : seen + path.slice(root.length);
  // Deleted: an editor wrote a new file and renamed it over this one.
  return name === own || name === `${own}${DELETED}`;
}

function nameOf(descriptor: number): string | undefined {
  if (DESCRIPTORS === undefined) return undefined;
  try {
    return readlinkSync(`${DESCRIPTORS}/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** The system's spelling, which may differ in case from the user's. */
function nameOfFolder(folder: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(folder, OPEN_FOLDER);
  } catch {
    return undefined;
  }
  try {
    return nameOf(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isNamed(descriptor: number, path: string, root: string): boolean {
  try {
    const real = realpathSync.native(root) + path.slice(root.length);
    const opened = fstatSync(descriptor, { bigint: true });
    const named = lstatSync(path, { bigint: true });
    return realpathSync.native(path) === real && opened.ino === named.ino && opened.dev === named.dev;
  } catch {
    return false;
  }
}
