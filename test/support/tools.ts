import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether this program is on the PATH. Tests that need it are skipped, with the reason in their names. */
export const has = (tool: string): boolean =>
  spawnSync('sh', ['-c', 'command -v "$1"', 'sh', tool]).status === 0;

export const run = (tool: string, args: string[], options: SpawnSyncOptions = {}) =>
  spawnSync(tool, args, { ...options, encoding: 'utf8' });

/** Puts a fake of a program into a folder. */
export function shim(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/**
 * The real crontab of an unused account, which root can name, so that a test does not change root's own. Each
 * test file uses another account. Undefined where that is impossible.
 */
export function sandboxedCrontab(
  user: string,
): { script: string; text: () => string; clear: () => void } | undefined {
  if (process.geteuid?.() !== 0 || !has('crontab')) return undefined;
  const path = run('sh', ['-c', 'command -v crontab']).stdout.toString().trim();
  const before = run(path, ['-u', user, '-l']);
  // An account with a crontab is in use.
  if (before.status === 0 || !/no crontab/.test(before.stderr.toString())) return undefined;
  return {
    script: `exec ${path} -u ${user} "$@"`,
    text: () => run(path, ['-u', user, '-l']).stdout.toString(),
    clear: () => run(path, ['-u', user, '-r']),
  };
}
