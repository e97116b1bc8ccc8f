import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Terminal } from './terminal.js';

/** Shows colours, quits when all fits on the screen, leaves it there afterwards. */
const DEFAULT_PAGER = 'less -FRX';
/** A command that only a shell understands. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'*?[\]#~%\n]/;

/** Where long output goes. After `closed` turned true nobody reads any more, and the writer may stop. */
export interface Output {
  /** Resolves when more may be written: however long the text is, little of it is held. */
  write(text: string | Uint8Array): Promise<void>;
  /** Resolves when all was shown and the pager, if there is one, was left. */
  end(): Promise<void>;
  readonly closed: boolean;
}

/** Stdout, without a pager. */
export function plainOutput({ stdout }: Terminal['io']): Output {
  return {
    closed: false,
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain');
    },
    async end() {},
  };
}

export interface PagerOptions {
  /** `--no-pager` was not given. */
  wanted: boolean;
  /** `PAGER`, and what the pager inherits. */
  env: NodeJS.ProcessEnv;
}

/** Stdout at once, or, at a terminal, `$PAGER` as soon as the text is longer than the screen. */
export function openOutput(terminal: Terminal, { wanted, env }: PagerOptions): Output {
  const command = (env.PAGER ?? DEFAULT_PAGER).trim();
  if (!wanted || !terminal.pageable || command === '' || command === 'cat') return plainOutput(terminal.io);
  return new PagedOutput(command, env, () => terminal.io.stdout.rows ?? 24, plainOutput(terminal.io));
}

/** Holds back one screen; what is longer goes to the pager, or to `fallback` when that cannot be started. */
export class PagedOutput implements Output {
  readonly #command: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #screen: () => number;
  readonly #fallback: Output;
  #held = '';
  #target: Output | undefined;

  constructor(command: string, env: NodeJS.ProcessEnv, screen: () => number, fallback: Output) {
    this.#command = command;
    this.#env = env;
    this.#screen = screen;
    this.#fallback = fallback;
  }

  get closed(): boolean {
    return this.#target?.closed ?? false;
  }

  async write(text: string | Uint8Array): Promise<void> {
    if (this.#target !== undefined) return this.#target.write(text);
    this.#held += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    if (this.#held.split('\n').length <= this.#screen()) return;
    this.#target = (await startPager(this.#command, this.#env)) ?? this.#fallback;
    await this.#target.write(this.#held);
    this.#held = '';
  }

  async end(): Promise<void> {
    if (this.#target === undefined) await this.#fallback.write(this.#held);
    await (this.#target ?? this.#fallback).end();
  }
}

/** @returns undefined when there is no such program */
async function startPager(command: string, env: NodeJS.ProcessEnv): Promise<Output | undefined> {
  const { spawn } = await import('node:child_process');
  const [program = '', ...args] = command.split(/\s+/);
  const options = {
    // What we print is UTF-8; without a locale, as in most containers, less shows its bytes as <E2><94><82>.
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
  // Ctrl-C while reading is the pager's; it would end us and leave the terminal in its hands.
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
  // The pager was left before the end of the text.
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
