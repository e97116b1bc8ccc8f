import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isErrno } from '../../core/errors.js';
import { breather } from '../../platform/breather.js';
import { utimeSeconds } from './staged-files.js';

/** Name prefix of a file while it is written. */
export const TEMPORARY = '.mempalace-tmp-';

/** Pieces of a text are joined until they have this many characters. */
const PIECE_CHARS = 64 * 1024;

/** A whole text or its pieces. */
export type FileContent = string | Iterable<string> | AsyncIterable<string>;

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Called now and then with the number of bytes written so far. */
  onBytes?: ((bytes: number) => void) | undefined;
}

/**
 * Writes a file atomically in UTF-8, 0600 independent of the umask, with this mtime (epoch milliseconds). Its folder must
 * exist. A stream is never in memory as a whole.
 *
 * @param number distinguishes this process's temporary files in one folder
 * @returns size, and SHA-256 in hexadecimal
 * @throws the signal's reason and the errors of `content`; then the file is unchanged
 */
export async function replaceFile(
  path: string,
  content: FileContent,
  mtimeMs: number,
  number: number,
  { signal, onBytes }: WriteOptions,
): Promise<{ bytes: number; hash: string }> {
  const temporary = join(dirname(path), `${TEMPORARY}${process.pid}-${number}`);
  const file = await openNew(temporary);
  try {
    const hash = createHash('sha256');
    const breathe = breather();
    let bytes = 0;
    let piece = '';
    const flush = async () => {
      const data = Buffer.from(piece, 'utf8');
      piece = '';
      hash.update(data);
      bytes += data.byteLength;
      await file.writeFile(data);
    };
    for await (const text of typeof content === 'string' ? [content] : content) {
      signal?.throwIfAborted();
      piece += text;
      await breathe();
      if (piece.length < PIECE_CHARS) continue;
      await flush();
      onBytes?.(bytes);
    }
    await flush();
    await file.chmod(0o600);
    const seconds = utimeSeconds(mtimeMs);
    await file.utimes(seconds, seconds);
    await file.sync();
    await file.close();
    await rename(temporary, path);
    return { bytes, hash: hash.digest('hex') };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Replaces a link or a file that a killed run with the same process id left. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    await rm(path, { force: true });
    return open(path, 'wx', 0o600);
  }
}
