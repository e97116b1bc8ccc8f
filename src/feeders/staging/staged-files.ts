import { lstatSync, rmdirSync, type Stats } from 'node:fs';
import { isErrno } from '../../core/errors.js';

/** What a file can carry: no time before 1970. */
function stagedTime(mtimeMs: number): number {
  return Math.max(0, mtimeMs);
}

/**
 * The time as seconds for `utimes`, which cuts what it gets off at a microsecond: a whole millisecond would
 * come back as one microsecond less about every second time.
 */
export function utimeSeconds(mtimeMs: number): number {
  return (stagedTime(mtimeMs) + 0.0005) / 1000;
}

/** File systems and the conversion to seconds lose fractions; some keep whole seconds only. */
export function sameTime(found: number, recorded: number): boolean {
  const expected = stagedTime(recorded);
  return Math.abs(found - expected) < 1 || found === Math.floor(expected / 1000) * 1000;
}

/** Undefined when nothing lies there, or a file lies where a folder above it should. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** True when the folder is gone now; false when something lies in it. */
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
