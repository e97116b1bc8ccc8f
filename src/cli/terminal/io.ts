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

/** SGR codes: on and off. All are readable on dark and light backgrounds. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  underline: [4, 24],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** `match` marks a search match. */
export type StyleName = keyof typeof CODES | 'match';
export type Paint = (style: StyleName, text: string) => string;

/**
 * Styles text for an output that shows colours; for others it changes nothing.
 *
 * @param wanted false under --no-color or --json
 */
export function painterFor(output: Output, env: NodeJS.ProcessEnv, wanted: boolean): Paint {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  const forced = FORCE_COLOR !== '' && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const able = forced || (output.isTTY === true && TERM !== 'dumb' && FORCE_COLOR === '');
  if (!wanted || NO_COLOR !== '' || !able) return (_, text) => text;
  const paint: Paint = (style, text) => {
    if (text === '') return '';
    if (style === 'match') return paint('bold', paint('underline', text));
    const [on, off] = CODES[style];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
  return paint;
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
