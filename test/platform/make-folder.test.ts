import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/platform/make-folder.js';
import { temporaryFolder } from '../support/palace.js';

describe('makeFolder', () => {
  it('makes what is missing, privately, and leaves what is there', () => {
    const base = temporaryFolder();
    const umask = process.umask(0);
    makeFolder(join(base, 'a/b/c'));
    process.umask(umask);
    for (const folder of ['a', 'a/b', 'a/b/c']) expect(statSync(join(base, folder)).mode & 0o777).toBe(0o700);
    makeFolder(join(base, 'a/b/c'));
  });

  it('says so when it cannot, and comes back', () => {
    const base = temporaryFolder();
    writeFileSync(join(base, 'file'), '');
    expect(() => makeFolder(join(base, 'file/below'))).toThrow(/ENOTDIR/);
    if (existsSync('/proc/self')) expect(() => makeFolder('/proc/nope/deeper')).toThrow(/ENOENT/);
  });
});
