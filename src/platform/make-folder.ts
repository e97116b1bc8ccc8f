import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
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

/** Removes a folder if it exists and is empty. */
export function removeEmptyFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The folders above a file that do not exist, the inner ones first. @param file absolute */
export function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  return missing;
}
