import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';

/**
 * Makes a folder and its parents, each 0700; an existing folder is unchanged. (Node's recursive mkdir never returns
 * where the system answers ENOENT below an existing folder, as in /proc.)
 *
 * @throws the file system's error
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return;
    const above = dirname(path);
    if (!isErrno(error, 'ENOENT') || above === path || existsSync(above)) throw error;
    makeFolder(above);
    mkdirSync(path, { mode: 0o700 });
  }
}
