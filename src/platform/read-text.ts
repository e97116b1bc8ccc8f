import { readFileSync } from 'node:fs';
import { isErrno } from '../core/errors.js';

/** The text of a file. @returns undefined if there is none @throws the file system's other errors */
export function textIfAny(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The text of a file; empty where it cannot be read. */
export function textOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
