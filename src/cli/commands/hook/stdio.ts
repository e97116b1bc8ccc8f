import { writeSync } from 'node:fs';
import { isErrno } from '../../../core/errors.js';

/** Harnesses write at once and close stdin. One that does not is not waited for. */
const STDIN_MS = 2_000;
const MOST_STDIN = 16 * 1024 * 1024;

/**
 * What the harness writes to stdin, until it closes it or the JSON is whole: some never close. By events, since
 * iterating takes Node's iterators of streams as well. `{}` where a person sits at it.
 *
 * @throws Error when it is longer than 16 MB, or not whole after two seconds
 */
export function readStdin(): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY === true) return Promise.resolve('{}');
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    /** Bytes that were looked at: twice as many must come before they are looked at again, or the time be up. */
    let seen = 0;
    const text = () => Buffer.concat(pieces).toString('utf8');
    const done = () => {
      clearTimeout(timer);
      // Not destroyed: the writer may still send a line feed, and would get EPIPE.
      stdin.pause();
      // What is read from a file has no such method, whatever its type says, and keeps no process.
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
      if (size < 2 * seen || !endsAnObject(piece)) return;
      seen = size;
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

/** Writes to stdout at once; by way of Node's streams, which take a while to be made, only what is not taken at once. */
export function writeStdout(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    written = writeSync(1, bytes);
  } catch (error) {
    // A harness that has gone needs no answer.
    if (!isErrno(error, 'EAGAIN')) return;
  }
  if (written < bytes.length) process.stdout.write(bytes.subarray(written));
}
