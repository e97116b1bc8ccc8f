import { closeSync, createReadStream, readSync } from 'node:fs';
import { openRegular, regularStream } from './regular-file.js';

/** Files compressed with Zstandard. */
export const COMPRESSED = /\.zst$/;

/** Longest line that is read. Parts in our own session feeder are at most 32 MB. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

export interface JsonLine {
  /** 1-based. */
  number: number;
  /** Undefined when the line is longer than the limit; it was skipped without buffering. */
  text: string | undefined;
}

/**
 * The non-blank lines of a file, as UTF-8 text, one in memory at a time.
 *
 * @param start the first byte that is read of an uncompressed file, 0 or after a line feed
 * @throws NotRegularFile, or the file system's error when the file cannot be read; Error when a compressed file is damaged
 */
export async function* readLines(path: string, start = 0): AsyncGenerator<JsonLine> {
  const decoder = new TextDecoder('utf-8');
  const stream = COMPRESSED.test(path) ? inflated(path) : pieces(path, start);
  let buffered: Buffer[] = [];
  let size = 0;
  let number = 1;
  const take = (rest: Buffer): JsonLine | undefined => {
    size += rest.length;
    if (size === 0) {
      number++;
      return undefined;
    }
    const text =
      size > MAX_LINE_BYTES
        ? undefined
        : decoder.decode(buffered.length === 0 ? rest : Buffer.concat([...buffered, rest]));
    buffered = [];
    size = 0;
    const line = { number, text };
    number++;
    return text !== undefined && text.trim() === '' ? undefined : line;
  };
  for await (const data of stream) {
    const chunk: Buffer = Buffer.isBuffer(data) ? data : Buffer.from(data);
    let from = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
      const line = take(chunk.subarray(from, feed));
      if (line) yield line;
      from = feed + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > MAX_LINE_BYTES) buffered = [];
    else if (rest.length > 0) buffered.push(rest);
  }
  if (size === 0) return;
  const line = take(Buffer.alloc(0));
  if (line) yield line;
}

/**
 * The bytes of a file. A small one is read at once: a history is many small files, and a stream takes longer to open than most
 * of them to read.
 */
function pieces(path: string, start: number): Iterable<Buffer> | AsyncIterable<Buffer> {
  const { file, size } = openRegular(path);
  if (size > PIECE) return createReadStream(path, { fd: file, highWaterMark: PIECE, start });
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, size - start));
    return [bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start))];
  } finally {
    closeSync(file);
  }
}

/** Decompresses a file, one block at a time: Node 20 has no built-in Zstandard. */
async function* inflated(path: string): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd');
  let blocks: Buffer[] = [];
  // fzstd reuses its buffer.
  const inflate = new Decompress((block) => void blocks.push(Buffer.from(block)));
  const take = function* (): Generator<Buffer> {
    const ready = blocks;
    blocks = [];
    yield* ready;
  };
  try {
    for await (const data of regularStream(path, 64 * 1024)) {
      inflate.push(Buffer.isBuffer(data) ? data : Buffer.from(data));
      yield* take();
    }
    inflate.push(new Uint8Array(0), true);
  } catch (error) {
    if (error instanceof Error && Reflect.has(error, 'errno')) throw error;
    throw new Error('damaged, or not compressed with Zstandard', { cause: error });
  }
  yield* take();
}

/** Generated lines in the form of `readLines`. */
export async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<JsonLine> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    yield { number, text: Buffer.byteLength(line) > MAX_LINE_BYTES ? undefined : line };
  }
}
