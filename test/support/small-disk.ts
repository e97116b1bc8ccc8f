import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { removeFolder } from './cleanups.js';
import type { Command } from './kills.js';
import type { Outcome, TestEnv } from './test-env.js';

/** Runs a program with a limit of this number of kilobytes per file, as on a full disk. */
export async function withFileLimit(
  env: TestEnv,
  [program, args]: Command,
  kilobytes: number,
): Promise<Outcome> {
  const script = `ulimit -f ${kilobytes}; exec "$0" "$@"`;
  const { stdout, stderr, exitCode, signal } = await execa(
    'bash',
    ['-c', script, process.execPath, ...env.argv(program), ...args],
    { env: env.env, extendEnv: false, reject: false, stdin: 'ignore' },
  );
  expect([program, kilobytes, signal]).toEqual([program, kilobytes, undefined]);
  return { stdout, stderr, exitCode };
}

/** Whether a file system of a few kilobytes can be mounted; the names of tests that need one say so. */
export const canMount = ((): boolean => {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'mempalace-mount-'));
  const mounted = mountSmall(folder, 64);
  if (mounted) unmount(folder);
  removeFolder(folder);
  return mounted;
})();

/** Mounts an empty disk of this number of kilobytes on a folder. */
export function mountSmall(folder: string, kilobytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  return (
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'none', folder]).status === 0
  );
}

export function resize(folder: string, kilobytes: number): void {
  const { status } = spawnSync('mount', ['-o', `remount,size=${kilobytes}k`, folder]);
  expect(status).toBe(0);
}

export function remountReadonly(folder: string, readonly: boolean): void {
  expect(spawnSync('mount', ['-o', `remount,${readonly ? 'ro' : 'rw'}`, folder]).status).toBe(0);
}

/** Also while a process that just ends has a file there. */
export function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

/** An error with a hint, without a stack and without the word "bug". */
export function expectClear({ exitCode, stderr }: Outcome, codes: readonly number[] = [1]): void {
  expect(codes, stderr).toContain(exitCode);
  expect(stderr).toMatch(/^error: .+\n {2}hint: .+$/m);
  expectNoBug(stderr);
}

export function expectNoBug(stderr: string): void {
  expect(stderr).not.toContain('this is a bug');
  expect(stderr).not.toMatch(/^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?)$/m);
}

/** Bytes of the largest file below a folder. */
export function largestFile(folder: string): number {
  if (!existsSync(folder)) return 0;
  return Math.max(
    0,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stat?.isFile() === true ? stat.size : 0;
    }),
  );
}
