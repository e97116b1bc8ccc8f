import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  type ReadStream,
  readFileSync,
} from 'node:fs';

/** Opening or reading it could wait for ever: a named pipe without a writer, a device, a socket. */
export class NotRegularFile extends Error {
  constructor(path: string) {
    super(`${path} is not a regular file`);
    this.name = 'NotRegularFile';
  }
}

/**
 * Opens a file for reading, without waiting. The caller closes it.
 *
 * @throws NotRegularFile, or the file system's error
 */
export function openRegular(path: string): { file: number; size: number } {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new NotRegularFile(path);
    return { file, size: stat.size };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Closes the file when it is read to its end or destroyed. @param bytes read at once @throws as `openRegular` */
export function regularStream(path: string, bytes: number): ReadStream {
  return createReadStream(path, { fd: openRegular(path).file, highWaterMark: bytes });
}

/** The text of a file. @param most bytes; undefined for a larger file @throws as `openRegular` */
export function regularText(path: string, most = Number.POSITIVE_INFINITY): string | undefined {
  const { file, size } = openRegular(path);
  try {
    return size > most ? undefined : readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
