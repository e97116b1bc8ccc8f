import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The last lines of a file, whole. */
interface FileEnd {
  bytes: Buffer;
  /** Of the file, bytes. */
  size: number;
  mtimeMs: number;
}

/**
 * Reads the end of a file at once. Without bytes for what is not a regular file: a pipe has no end.
 *
 * @param most bytes that are read
 * @throws the file system's error
 */
export function readEnd(path: string, most: number): FileEnd {
  // A named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    const { size, mtimeMs } = stat;
    if (!stat.isFile()) return { bytes: Buffer.alloc(0), size, mtimeMs };
    const buffer = Buffer.allocUnsafe(Math.min(size, most));
    const length = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    // The first line of a part is rarely whole.
    const start = size > most ? buffer.indexOf(10) + 1 || length : 0;
    return { bytes: buffer.subarray(start, length), size, mtimeMs };
  } finally {
    closeSync(file);
  }
}
