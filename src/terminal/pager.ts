import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { withoutLinks } from './link.js';
import type { Terminal } from './terminal.js';

/** With colours; quits when the text fits on one screen, and leaves it there. Not for `TERM=dumb`, where it asks for RETURN. */
const DEFAULT_PAGER = 'less -FRX';
/** Characters that need a shell. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'*?[\]#~%\n]/;

/** They may come from elsewhere. */
type Texts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
type Pager = ChildProcessByStdio<Writable, null, null>;

/**
 * Prints texts to stdout, or at a terminal to `$PAGER` as soon as they are longer than the screen. Ends early if the user
 * leaves the pager. Little of a long text is in memory.
 *
 * @param wanted false under `--no-pager`
 */
export async function printLong(
  { io: { env, stdout }, pageable }: Pick<Terminal, 'io' | 'pageable'>,
  wanted: boolean,
  texts: Texts,
): Promise<void> {
  const command = (env.PAGER ?? (env.TERM === 'dumb' ? '' : DEFAULT_PAGER)).trim();
  const paged = wanted && pageable && command !== '' && command !== 'cat';
  let screen = '';
  const rest = (async function* () {
    yield* texts;
  })();
  for (let next = paged ? await rest.next() : undefined; next?.done === false; next = await rest.next()) {
    screen += typeof next.value === 'string' ? next.value : Buffer.from(next.value).toString('utf8');
    if (screen.split('\n').length <= (stdout.rows ?? 24)) continue;
    const pager = await startPager(command, env);
    if (pager !== undefined) return show(screen, rest, pager);
    break;
  }
  stdout.write(screen);
  for await (const text of rest) {
    if (!stdout.write(text)) await once(stdout, 'drain');
  }
}

/** @returns undefined when there is no such program */
async function startPager(command: string, env: NodeJS.ProcessEnv): Promise<Pager | undefined> {
  const { spawn } = await import('node:child_process');
  const [program = '', ...args] = command.split(/\s+/);
  const options = {
    // The output is UTF-8. Without a locale, as in most containers, less would show bytes such as <E2><94><82>.
    env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
  };
  const pager = SHELL_SYNTAX.test(command)
    ? spawn(command, { ...options, shell: true })
    : spawn(program, args, options);
  return once(pager, 'spawn').then(
    () => pager,
    () => undefined,
  );
}

/** Resolves when the user has left the pager. */
async function show(screen: string, rest: Texts, pager: Pager): Promise<void> {
  // Ctrl-C belongs to the pager; ending this program would leave the terminal in the pager's mode.
  const listeners = process.listeners('SIGINT');
  for (const listener of listeners) process.off('SIGINT', listener);
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const { stdin } = pager;
  // The user may leave the pager before the end of the text.
  stdin.on('error', ignore);
  const left = new Promise<void>((resolve) => {
    pager.once('close', () => resolve());
    pager.once('error', () => resolve());
  });
  try {
    stdin.write(withoutLinks(screen));
    for await (const text of rest) {
      if (stdin.destroyed) break;
      if (!stdin.write(typeof text === 'string' ? withoutLinks(text) : text))
        await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), left]);
    }
    stdin.end();
    await left;
  } finally {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  }
}
