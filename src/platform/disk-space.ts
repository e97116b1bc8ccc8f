import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../core/errors.js';

/** Bytes that stay free for other programs. */
const MARGIN_BYTES = 16 * 1024 * 1024;

/** Checks the free space of a folder, which need not exist; `what` names the write. @throws UserError `failed` */
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

/** Free bytes in a folder, which need not exist. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(nearestFolder(folder));
  return bavail * bsize;
}

/** The folder, or its nearest parent that exists. */
export function nearestFolder(folder: string): string {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}
