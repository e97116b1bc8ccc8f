import { readdirSync } from 'node:fs';
import { isErrno } from '../core/errors.js';

/** The names of the regular files in a folder; none if there is no folder. @throws the file system's error */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((item) => (item.isFile() ? item.name : []));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}
