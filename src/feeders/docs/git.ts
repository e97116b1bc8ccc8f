import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The repository may be someone else's: git runs no program that its configuration names, fetches nothing, and does not
 * ask for a password.
 */
export const GIT_ARGS = '--no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null'.split(' ');

export const GIT_OPTIONS = {
  env: { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' },
  reject: false,
  stdin: 'ignore',
  stderr: 'ignore',
  // execa's clean-up restores the system's signal defaults, but Node must ignore SIGXFSZ: otherwise a limit on file size
  // would end the process instead of failing a write.
  cleanup: false,
} as const;

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
