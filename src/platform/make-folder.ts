import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';

/**
 * Makes a folder and those above it, each 0700; a folder that is there stays as it is. (Node's own recursive
 * mkdir never returns where the system refuses with ENOENT below a folder that exists, as in /proc.)
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
