import type { Readable, Writable } from 'node:stream';

interface Output extends Writable {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** What a program reads and writes: `process`, or what a test makes. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
}

/** Columns of a terminal; undefined for pipes and files. */
export function columnsOf(output: Output): number | undefined {
  return output.isTTY === true ? (output.columns ?? 80) : undefined;
}

/** SGR codes of the words that begin a line on stderr: the library for colours would be loaded for an error alone. */
const CODES = { red: 31, yellow: 33 } as const;

/**
 * Sets a word off on stderr, where that is a terminal that shows colours.
 *
 * @param wanted false under --no-color or --json
 */
export function paintStderr(
  word: string,
  colour: keyof typeof CODES,
  wanted: boolean,
  { env, stderr }: Io,
): string {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  const forced = FORCE_COLOR !== '' && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const able = forced || (stderr.isTTY === true && TERM !== 'dumb' && FORCE_COLOR === '');
  if (!wanted || NO_COLOR !== '' || !able) return word;
  return `\u001b[${CODES[colour]}m${word}\u001b[39m`;
}

/**
 * The reader of a pipe may leave early (`| head`): that is not an error of ours. Where stdout cannot be written for
 * another reason (a full disk), the program ends with what `fail` says; what is said on stderr is worth no end.
 * Called once, before any output.
 *
 * @param fail tells of it and returns the exit code
 */
export function watchOutput(io: Io, fail: (error: Error) => number): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : fail(error));
  });
  io.stderr.on('error', () => {});
}
