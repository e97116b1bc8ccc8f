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
  /** To the program that started this one, if it wants to know how far this one is. */
  send?(message: object): boolean;
  connected?: boolean;
}

/** Columns of a terminal; undefined for pipes and files. */
export function columnsOf(output: Output): number | undefined {
  return output.isTTY === true ? (output.columns ?? 80) : undefined;
}

/** `match` marks a search match. All styles are readable on dark and light backgrounds. */
export type StyleName = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'match';
export type Paint = (style: StyleName, text: string) => string;

let chalk: typeof import('chalk') | undefined;
let hyperlinks: typeof import('supports-hyperlinks') | undefined;

/** Loads the libraries for colours and links if an output can show them. Without this call, nothing shows either. */
export async function loadColours({ stdout, stderr, env }: Io): Promise<void> {
  if ([stdout, stderr].some((output) => showsColours(output, env))) {
    chalk ??= await import('chalk').catch(() => undefined);
    if (stdout.isTTY === true) hyperlinks ??= await import('supports-hyperlinks').catch(() => undefined);
  }
}

/**
 * Whether an output shows links: a terminal that is known for it, or with `FORCE_HYPERLINK`.
 *
 * @param wanted false under --no-color or --json
 */
export function showsLinks(output: Output, env: NodeJS.ProcessEnv, wanted: boolean): boolean {
  if (!wanted || output.isTTY !== true || !showsColours(output, env)) return false;
  return hyperlinks?.createSupportsHyperlinks({ isTTY: true }) === true;
}

function showsColours(output: Output, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return output.isTTY === true && TERM !== 'dumb';
}

/**
 * Styles text for an output that shows colours; for others it changes nothing.
 *
 * @param wanted false under --no-color or --json
 */
export function painterFor(output: Output, env: NodeJS.ProcessEnv, wanted: boolean): Paint {
  if (!wanted || chalk === undefined || !showsColours(output, env)) return (_, text) => text;
  const styles = new chalk.Chalk({ level: 1 });
  return (style, text) => (style === 'match' ? styles.bold.underline(text) : styles[style](text));
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
