import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PALACE_FILE } from '../../platform/folders.js';

export function palaceFile(folder: string): string {
  return join(folder, PALACE_FILE);
}

export function palaceExists(folder: string): boolean {
  return existsSync(palaceFile(folder));
}

interface PalaceHeader {
  /** Size of the file. */
  bytes: number;
  /** Not an SQLite file; the other fields are not valid then. */
  foreign: boolean;
  /** Of the file alone: a WAL may contain a later one. */
  schema: number;
  /** The file ends before its last page. Always false while a WAL exists. */
  truncated: boolean;
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/**
 * Reads the header of a palace's file without SQLite, so that it works if better-sqlite3 does not.
 *
 * @throws the file system's error
 */
export function readHeader(file: string): PalaceHeader {
  const head = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  let bytes: number;
  try {
    bytes = fstatSync(descriptor).size;
    readSync(descriptor, head, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (bytes === 0) return { bytes, foreign: false, schema: 0, truncated: false };
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC)
    return { bytes, foreign: true, schema: 0, truncated: false };
  const size = head.readUInt16BE(16);
  const pageBytes = size === 1 ? 65_536 : size;
  // The page count is valid only if the last writer updated it.
  const counted = head.readUInt32BE(24) === head.readUInt32BE(92) ? head.readUInt32BE(28) : 0;
  const logged = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return {
    bytes,
    foreign: false,
    schema: head.readUInt32BE(60),
    truncated: bytes < HEADER_BYTES || (!logged && bytes < counted * pageBytes),
  };
}
