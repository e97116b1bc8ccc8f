import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../core/errors.js';

/** What stays free for everybody else, in bytes. */
const MARGIN_BYTES = 16 * 1024 * 1024;

/**
 * Refuses work for which the disk has too little room, before any of it is done.
 *
 * @param folder where the bytes are to go; it need not exist yet
 * @param what is to be written, for the message
 * @throws UserError `failed`
 */
export function requireDiskSpace(folder: string, bytes: number, what: string, hint: string): void {
  const free = freeBytes(folder);
  if (free >= bytes + MARGIN_BYTES) return;
  const mega = (count: number) => `${Math.ceil(count / 1024 ** 2)} MB`;
  throw new UserError(
    'failed',
    `${what} needs ${mega(bytes + MARGIN_BYTES)} in ${folder}, where ${mega(free)} are free`,
    { hint },
  );
}

/** What may still be written in a folder, in bytes; it need not exist yet. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(nearestFolder(folder));
  return bavail * bsize;
}

/** The folder, or the nearest one above it that is there. */
export function nearestFolder(folder: string): string {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}
