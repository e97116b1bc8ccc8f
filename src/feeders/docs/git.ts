import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The repository may be someone else's: git runs no program that its configuration names, fetches nothing, and does not
 * ask for a password.
 */
const GIT_ARGS = '--no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null'.split(' ');

const GIT_OPTIONS = {
  env: { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' },
  reject: false,
  stdin: 'ignore',
  stderr: 'ignore',
  // execa's clean-up restores the system's signal defaults, but Node must ignore SIGXFSZ: otherwise a limit on file size
  // would end the process instead of failing a write.
  cleanup: false,
} as const;

/** Git is stopped after this time. A history is not read further: what it did not name has the file's own time. */
const LONGEST_MS = 15_000;

/** Hash of a repository's first commit; null without git or without a commit. */
export async function firstCommit(root: string): Promise<string | null> {
  if (!existsSync(join(root, '.git'))) return null;
  const { execa } = await import('execa');
  const { stdout, failed } = await execa('git', [...GIT_ARGS, 'rev-list', '--max-parents=0', 'HEAD'], {
    ...GIT_OPTIONS,
    cwd: root,
  });
  if (failed) return null;
  return stdout.trim().split('\n').at(-1)?.trim() || null;
}

/**
 * A setting that is a path, with `~` expanded; empty if it is set to nothing.
 *
 * @returns null if it is not set, undefined if git did not run
 */
export async function configuredPath(root: string, name: string): Promise<string | null | undefined> {
  const { execa } = await import('execa');
  const { stdout, failed, exitCode } = await execa('git', [...GIT_ARGS, 'config', '--get', '--path', name], {
    ...GIT_OPTIONS,
    cwd: root,
    timeout: LONGEST_MS,
  });
  if (exitCode === undefined) return undefined;
  return failed ? null : stdout;
}

/**
 * The folders of a project that contain files which git tracks: relative to the root, with `/`, in form NFC. Undefined
 * when git cannot list them.
 */
export async function trackedFolders(
  root: string,
  signal?: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const folders = new Set<string>();
  const readable = await tokensOf(root, ['ls-files', '-z'], signal, (token) => {
    const path = token.normalize('NFC');
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
    return true;
  });
  return readable ? folders : undefined;
}

/**
 * Calls `take` with each piece of git's output between zero bytes until it returns false.
 *
 * @returns false when git failed or was too slow
 */
export async function tokensOf(
  root: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
  take: (token: string) => boolean,
): Promise<boolean> {
  const { execa } = await import('execa');
  const git = execa('git', [...GIT_ARGS, ...args], {
    ...GIT_OPTIONS,
    cwd: root,
    buffer: false,
    timeout: LONGEST_MS,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  const decoder = new TextDecoder();
  let rest = '';
  let more = true;
  for await (const chunk of git.iterable({ binary: true })) {
    if (!more) continue;
    const tokens = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\0');
    rest = tokens.pop() ?? '';
    more = tokens.every(take);
    if (!more) git.kill();
  }
  if (more && rest !== '') take(rest);
  const { failed } = await git;
  return !failed || !more;
}
