import { closeSync, readSync } from 'node:fs';
import { openRegular } from './regular-file.js';

/** Shared: a history is many small files. */
const BUFFER = Buffer.allocUnsafe(256 * 1024);

/**
 * Whether one of these texts occurs in a file, found without decoding it, `bytes` at a time (at most 256 KB). Synchronous:
 * for files that are in the system's cache, which the same run reads next.
 *
 * @throws as `openRegular`
 */
export function fileContains(path: string, texts: readonly string[], bytes = BUFFER.length): boolean {
  const wanted = texts.map((text) => Buffer.from(text));
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  const { file } = openRegular(path);
  try {
    for (let kept = 0; ; ) {
      const room = Math.min(bytes, BUFFER.length - kept);
      const size = readSync(file, BUFFER, kept, room, null);
      const piece = BUFFER.subarray(0, kept + size);
      if (wanted.some((text) => piece.includes(text))) return true;
      if (size === 0) return false;
      const rest = Math.min(overlap, piece.length);
      BUFFER.copyWithin(0, piece.length - rest, piece.length);
      kept = rest;
    }
  } finally {
    closeSync(file);
  }
}
