import { isErrno } from '../core/errors.js';
import { readEnd } from './file-end.js';

/** What is read of a file at most, from its end; rotated files are not larger. */
const MOST_BYTES = 1024 * 1024;

/**
 * The lines of a log and of the file that it was rotated from, newest first. Empty where there is none; a pipe or a device has no
 * past.
 *
 * @throws the file system's error
 */
export function* logLines(path: string): Generator<string> {
  for (const file of [path, `${path}.1`]) yield* endOf(file).split('\n').reverse().filter(Boolean);
}

function endOf(file: string): string {
  try {
    return readEnd(file, MOST_BYTES).bytes.toString('utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '';
    throw error;
  }
}
