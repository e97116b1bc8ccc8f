import type { Readable, Writable } from 'node:stream';

interface Output extends Writable {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** Input and output of a program: `process`, or a test's. */
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

/** SGR codes for the first word of a line on stderr, without loading the library for colours. */
const CODES = { red: 31, yellow: 33 } as const;

/**
 * Colours a word for stderr, if stderr is a terminal with colours.
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
 * Handles errors of stdout and stderr; called once, before any output. When the reader of a pipe leaves early (`| head`),
 * the program ends with 0. Another error of stdout (a full disk) ends it with the code of `fail`. Errors of stderr are
 * ignored.
 *
 * @param fail reports the error and returns the exit code
 */
export function watchOutput(io: Io, fail: (error: Error) => number): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : fail(error));
  });
  io.stderr.on('error', () => {});
}
