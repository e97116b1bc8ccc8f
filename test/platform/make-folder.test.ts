import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { makeFolder } from '../../src/platform/make-folder.js';
import { temporaryFolder } from '../support/palace.js';

/** Called after each mkdir that found no parent: the moment at which another process may make the folders. */
const race = vi.hoisted(() => ({ afterMissingParent: (_path: string) => {} }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const mkdirSync = (path: string, options: object) => {
    try {
      return fs.mkdirSync(path, options);
    } catch (error) {
      race.afterMissingParent(path);
      throw error;
    }
  };
  return { ...fs, mkdirSync };
});

describe('makeFolder', () => {
  it('makes missing folders private, and does not change existing ones', () => {
    const base = temporaryFolder();
    const umask = process.umask(0);
    makeFolder(join(base, 'a/b/c'));
    process.umask(umask);
    for (const folder of ['a', 'a/b', 'a/b/c']) expect(statSync(join(base, folder)).mode & 0o777).toBe(0o700);
    makeFolder(join(base, 'a/b/c'));
  });

  it.each(['its parent', 'the folder'])('succeeds when another process makes %s meanwhile', async (what) => {
    const { mkdirSync } = await vi.importActual<typeof import('node:fs')>('node:fs');
    const folder = join(temporaryFolder(), 'hooks/queue');
    race.afterMissingParent = (path) =>
      mkdirSync(what === 'its parent' ? dirname(path) : folder, { recursive: true });
    makeFolder(folder);
    race.afterMissingParent = () => {};
    expect(existsSync(folder)).toBe(true);
  });

  it('throws what the file system reports', () => {
    const base = temporaryFolder();
    writeFileSync(join(base, 'file'), '');
    expect(() => makeFolder(join(base, 'file/below'))).toThrow(/ENOTDIR/);
    if (existsSync('/proc/self')) expect(() => makeFolder('/proc/nope/deeper')).toThrow(/ENOENT/);
  });
});
