import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

interface FileEnd {
  bytes: Buffer;
  /** Of the file, bytes. */
  size: number;
  mtimeMs: number;
}

/**
 * Reads at most `most` bytes from the end of a file; none of a pipe, which has no end.
 *
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
