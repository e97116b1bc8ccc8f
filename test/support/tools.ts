import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Is this program on the PATH? Tests that need it are skipped by name where it is not. */
export const has = (tool: string): boolean =>
  spawnSync('sh', ['-c', 'command -v "$1"', 'sh', tool]).status === 0;

export const run = (tool: string, args: string[], options: SpawnSyncOptions = {}) =>
  spawnSync(tool, args, { ...options, encoding: 'utf8' });

/** Puts a program that stands in for another into a folder. */
export function shim(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/**
 * The real crontab, of a user that nobody is: root may name one, so that a test leaves root's own alone. Each
 * test file takes another user. Undefined where that cannot be done.
 */
export function sandboxedCrontab(
  user: string,
): { script: string; text: () => string; clear: () => void } | undefined {
  if (process.geteuid?.() !== 0 || !has('crontab')) return undefined;
  const path = run('sh', ['-c', 'command -v crontab']).stdout.toString().trim();
  const before = run(path, ['-u', user, '-l']);
  // One that has a crontab is somebody.
  if (before.status === 0 || !/no crontab/.test(before.stderr.toString())) return undefined;
  return {
    script: `exec ${path} -u ${user} "$@"`,
    text: () => run(path, ['-u', user, '-l']).stdout.toString(),
    clear: () => run(path, ['-u', user, '-r']),
  };
}
