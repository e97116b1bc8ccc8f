import { type Dirent, lstatSync, readdirSync, rmdirSync, type Stats } from 'node:fs';
import { isErrno } from '../../core/errors.js';

/** Not before 1970. */
function stagedTime(mtimeMs: number): number {
  return Math.max(0, mtimeMs);
}

/**
 * The time in seconds for `utimes`, which truncates to microseconds: without the added half microsecond, about every
 * second millisecond value would lose one microsecond.
 */
export function utimeSeconds(mtimeMs: number): number {
  return (stagedTime(mtimeMs) + 0.0005) / 1000;
}

/** Compares times with the precision of file systems: some store whole seconds only. */
export function sameTime(found: number, recorded: number): boolean {
  const expected = stagedTime(recorded);
  return Math.abs(found - expected) < 1 || found === Math.floor(expected / 1000) * 1000;
}

/** Undefined when the path does not exist, also because a file is where one of its folders should be. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** These give nothing when the folder cannot be listed. */
export function foldersIn(folder: string): string[] {
  return itemsIn(folder).flatMap((item) => (item.isDirectory() ? [item.name] : []));
}

export function itemsIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns false when the folder is not empty. */
export function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return true;
    if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}
