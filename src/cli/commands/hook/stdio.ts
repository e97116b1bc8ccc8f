import { writeSync } from 'node:fs';
import { isErrno } from '../../../core/errors.js';

/**
 * Agent programs write at once, and most close stdin. On a busy machine one that starts many hooks took up to three seconds;
 * a session that is not read is not noted. Agents wait for ten seconds.
 */
const STDIN_MS = 5_000;
const MOST_STDIN = 16 * 1024 * 1024;

/**
 * Reads stdin until it is closed or the JSON is complete, since some programs never close it. Uses events, which load
 * faster than stream iterators. `{}` if stdin is a terminal.
 *
 * @throws Error if it is longer than 16 MB, or incomplete after five seconds
 */
export function readStdin(): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY === true) return Promise.resolve('{}');
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    /** Size at the last check; the next check follows when the size has doubled, or at the timeout. */
    let checked = 0;
    const text = () => Buffer.concat(pieces).toString('utf8');
    const done = () => {
      clearTimeout(timer);
      // Not destroyed, since the writer may still send a line feed and would get EPIPE.
      stdin.pause();
      // A stdin that reads a file lacks `unref`, despite its type, and does not keep the process alive.
      if ('unref' in stdin) stdin.unref();
      resolve(text());
    };
    const timer = setTimeout(() => {
      if (isJson(text())) done();
      else stdin.destroy(new Error('stdin was not closed'));
    }, STDIN_MS);
    stdin.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > MOST_STDIN) return stdin.destroy(new Error('stdin contains more than 16 MB'));
      pieces.push(piece);
      if (size < 2 * checked || !endsAnObject(piece)) return;
      checked = size;
      if (isJson(text())) done();
    });
    stdin.on('end', done);
    stdin.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

const endsAnObject = (piece: Buffer): boolean => piece.toString('latin1').trimEnd().endsWith('}');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Writes without Node's streams, which load slowly; they only get the rest that cannot be written at once. */
export function writeStdout(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    written = writeSync(1, bytes);
  } catch (error) {
    // The reader is gone.
    if (!isErrno(error, 'EAGAIN')) return;
  }
  if (written < bytes.length) process.stdout.write(bytes.subarray(written));
}
