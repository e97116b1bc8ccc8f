import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { breather } from '../../platform/breather.js';
import { utimeSeconds } from './staged-files.js';

/** Name prefix of a file while it is written. */
export const TEMPORARY = '.mempalace-tmp-';

/** Pieces of a text are joined until they have this many characters. */
const PIECE_CHARS = 64 * 1024;

export type FileContent = string | Iterable<string> | AsyncIterable<string>;

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  onBytes?: ((bytes: number) => void) | undefined;
}

/**
 * Writes a file atomically in UTF-8, 0600 independent of the umask, with this mtime (epoch milliseconds). Its folder must
 * exist. A stream is never in memory as a whole.
 *
 * @returns size, and SHA-256 in hexadecimal
 * @throws the signal's reason and the errors of `content`; then the file is unchanged
 */
export async function replaceFile(
  path: string,
  content: FileContent,
  mtimeMs: number,
  { signal, onBytes }: WriteOptions = {},
): Promise<{ bytes: number; hash: string }> {
  const temporary = join(dirname(path), `${TEMPORARY}${randomUUID()}`);
  const file = await open(temporary, 'wx', 0o600);
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
