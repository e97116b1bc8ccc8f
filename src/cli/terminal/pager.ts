import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Terminal } from './terminal.js';

/** With colours; quits when the text fits on one screen, and leaves it there. */
const DEFAULT_PAGER = 'less -FRX';
/** Characters that need a shell. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'*?[\]#~%\n]/;

/** The target of long output. The writer may stop when `closed` is true: the reader has left. */
export interface Output {
  /** Resolves when more may be written, so that little of a long text is in memory. */
  write(text: string | Uint8Array): Promise<void>;
  /** Resolves when everything was shown, and the user has left the pager. */
  end(): Promise<void>;
  readonly closed: boolean;
}

/** Stdout, without a pager. */
function plainOutput({ stdout }: Terminal['io']): Output {
  return {
    closed: false,
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain');
    },
    async end() {},
  };
}

/**
 * Prints texts to stdout, or at a terminal to `$PAGER` as soon as they are longer than the screen. Ends early if the user
 * leaves the pager.
 *
 * @param wanted false under `--no-pager`
 */
export async function printLong(
  terminal: Terminal,
  wanted: boolean,
  texts: Iterable<string | Uint8Array>,
): Promise<void> {
  const { env, stdout } = terminal.io;
  const command = (env.PAGER ?? DEFAULT_PAGER).trim();
  const plain = plainOutput(terminal.io);
  const paged = wanted && terminal.pageable && command !== '' && command !== 'cat';
  const output = paged ? pagedOutput(command, env, () => stdout.rows ?? 24, plain) : plain;
  for (const text of texts) {
    await output.write(text);
    if (output.closed) break;
  }
  await output.end();
}

/** Buffers one screen. A longer text goes to the pager, or to `fallback` when the pager cannot be started. */
export function pagedOutput(
  command: string,
  env: NodeJS.ProcessEnv,
  screenRows: () => number,
  fallback: Output,
): Output {
  let buffered = '';
  let target: Output | undefined;
  return {
    get closed() {
      return target?.closed ?? false;
    },
    async write(text) {
      if (target !== undefined) return target.write(text);
      buffered += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      if (buffered.split('\n').length <= screenRows()) return;
      target = (await startPager(command, env)) ?? fallback;
      await target.write(buffered);
      buffered = '';
    },
    async end() {
      if (target === undefined) await fallback.write(buffered);
      await (target ?? fallback).end();
    },
  };
}

/** @returns undefined when there is no such program */
async function startPager(command: string, env: NodeJS.ProcessEnv): Promise<Output | undefined> {
  const { spawn } = await import('node:child_process');
  const [program = '', ...args] = command.split(/\s+/);
  const options = {
    // The output is UTF-8. Without a locale, as in most containers, less would show bytes such as <E2><94><82>.
    env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
  };
  const child = SHELL_SYNTAX.test(command)
    ? spawn(command, { ...options, shell: true })
    : spawn(program, args, options);
  try {
    await once(child, 'spawn');
  } catch {
    return undefined;
  }
  return outputTo(child);
}

function outputTo(child: ChildProcess): Output {
  // Ctrl-C belongs to the pager; ending this program would leave the terminal in the pager's mode.
  const listeners = process.listeners('SIGINT');
  for (const listener of listeners) process.off('SIGINT', listener);
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  let closed = false;
  const left = new Promise<void>((resolve) => {
    const leave = (): void => {
      closed = true;
      process.off('SIGINT', ignore);
      for (const listener of listeners) process.on('SIGINT', listener);
      resolve();
    };
    child.once('close', leave);
    child.once('error', leave);
  });
  const input = child.stdin;
  // The user left the pager before the end of the text.
  input?.on('error', () => {
    closed = true;
  });
  return {
    get closed() {
      return closed;
    },
    async write(text) {
      if (closed || input === null || input.write(text)) return;
      await Promise.race([new Promise<void>((resolve) => input.once('drain', resolve)), left]);
    },
    async end() {
      input?.end();
      await left;
    },
  };
}
