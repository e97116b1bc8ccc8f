import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';

/**
 * Makes a folder and its parents, each 0700; an existing folder is unchanged. Other processes may make the same folders at
 * the same time. (Node's recursive mkdir never returns where the system answers ENOENT below an existing folder, as in
 * /proc.)
 *
 * @throws the file system's error
 */
export function makeFolder(path: string): void {
  const parent = dirname(path);
  try {
    makeOne(path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT') || parent === path) throw error;
    makeFolder(parent);
    makeOne(path);
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}
