import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isErrno } from '../core/errors.js';

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
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '';
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return '';
    const from = Math.max(0, stat.size - MOST_BYTES);
    const bytes = Buffer.alloc(stat.size - from);
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, from));
    // A line that begins before the part that is read.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(descriptor);
  }
}
