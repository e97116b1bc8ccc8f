import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProjectRoot, isProjectRoot, refuseRoot } from '../../../src/feeders/docs/root.js';
import { removeFolder } from '../../support/cleanups.js';

let base: string;
let home: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'root-')));
  home = join(base, 'home', 'me');
  mkdirSync(join(home, 'p', 'docs', 'deep'), { recursive: true });
});
afterEach(() => {
  removeFolder(base);
});

describe('the project of a folder', () => {
  it('is the nearest folder with .git (folder or file) or mempalace.yaml', async () => {
    const p = join(home, 'p');
    expect(await findProjectRoot(join(p, 'docs'), home)).toEqual({
      root: join(p, 'docs'),
      folder: undefined,
    });
    writeFileSync(join(p, '.git'), 'gitdir: elsewhere\n');
    expect(await findProjectRoot(p, home)).toEqual({ root: p, folder: undefined });
    expect(await findProjectRoot(join(p, 'docs', 'deep'), home)).toEqual({ root: p, folder: 'docs/deep' });
    writeFileSync(join(p, 'docs', 'mempalace.yaml'), '');
    const nested = { root: join(p, 'docs'), folder: 'deep' };
    expect(await findProjectRoot(join(p, 'docs', 'deep'), home)).toEqual(nested);
  });

  it('is found by its real path, and a mempalace.yaml must be a file', async () => {
    mkdirSync(join(home, 'p', '.git'));
    symlinkSync(join(home, 'p', 'docs'), join(home, 'shortcut'));
    expect(await findProjectRoot(join(home, 'shortcut', 'deep'), home)).toEqual({
      root: join(home, 'p'),
      folder: 'docs/deep',
    });
    mkdirSync(join(home, 'p', 'docs', 'mempalace.yaml'));
    expect((await findProjectRoot(join(home, 'p', 'docs'), home)).root).toBe(join(home, 'p'));
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is not the folder around it that another user has marked (as root)',
    async () => {
      const around = realpathSync(mkdtempSync(join(tmpdir(), 'docs-around-')));
      try {
        const shop = join(around, 'shop');
        mkdirSync(shop);
        for (const mark of ['mempalace.yaml', '.git']) {
          writeFileSync(join(around, mark), '');
          expect(await findProjectRoot(shop, home)).toEqual({ root: around, folder: 'shop' });
          chownSync(join(around, mark), 65534, 65534);
          expect(await findProjectRoot(shop, home)).toEqual({ root: shop, folder: undefined });
          // All files of a mounted project belong to its owner.
          chownSync(shop, 65534, 65534);
          expect(await findProjectRoot(shop, home)).toEqual({ root: around, folder: 'shop' });
          chownSync(shop, 0, 0);
          rmSync(join(around, mark));
        }
      } finally {
        removeFolder(around);
      }
    },
  );

  it('is never HOME or a folder above it', async () => {
    for (const folder of [home, join(base, 'home'), base]) {
      mkdirSync(join(folder, '.git'));
      writeFileSync(join(folder, 'mempalace.yaml'), '');
    }
    const p = join(home, 'p');
    expect(await findProjectRoot(p, home)).toEqual({ root: p, folder: undefined });
    const beside = join(base, 'srv', 'x');
    mkdirSync(beside, { recursive: true });
    expect(await findProjectRoot(beside, home)).toEqual({ root: beside, folder: undefined });
  });
});

describe('refused folders', () => {
  const refusal = (dir: string, own = {}) => refuseRoot(dir, home, own).catch((error: unknown) => error);

  it('HOME, folders above it, and /, by any name', async () => {
    symlinkSync(home, join(base, 'to-home'));
    symlinkSync('/', join(base, 'to-top'));
    for (const dir of [home, `${home}/`, `${home}/p/..`, join(base, 'to-home'), join(base, 'home'), base]) {
      expect(await refusal(dir), dir).toMatchObject({
        code: 'usage',
        message: expect.stringContaining('home folder'),
      });
    }
    for (const dir of ['/', '//', '/.', join(base, 'to-top')]) {
      expect(await refusal(dir), dir).toMatchObject({
        code: 'usage',
        message: expect.stringContaining('file system'),
      });
    }
    expect(await refusal(join(home, 'p'))).toBeUndefined();
    expect(await refusal(join(base, 'to-home', 'p'))).toBeUndefined();
  });

  it('a file, a missing path, and a loop of links', async () => {
    writeFileSync(join(base, 'file'), '');
    symlinkSync('loop', join(base, 'loop'));
    expect(await refusal(join(base, 'file'))).toMatchObject({ code: 'usage' });
    expect(await refusal(join(base, 'nothing'))).toMatchObject({ code: 'not-found' });
    expect(await refusal(join(base, 'file', 'x'))).toMatchObject({ code: 'not-found' });
    expect(await refusal(join(base, 'loop'))).toMatchObject({ code: 'unreadable' });
  });

  it('the palace and the staging cache', async () => {
    const cache = join(home, '.cache');
    const palace = join(home, '.mempalace', 'palace');
    for (const dir of [
      palace,
      join(cache, 'mempalace-docs', 'wing_a', 'p'),
      join(cache, 'mempalace-session'),
    ]) {
      mkdirSync(dir, { recursive: true });
      expect(await refusal(dir, { cache, palace }), dir).toMatchObject({ code: 'usage' });
    }
    expect(await refusal(cache, { cache, palace })).toMatchObject({ code: 'usage' });
    mkdirSync(join(cache, 'other'));
    expect(await refusal(join(cache, 'other'), { cache, palace })).toBeUndefined();
  });
});

describe.skipIf(process.getuid?.() === 0)('a folder without permission (skipped as root)', () => {
  it('is not a project root, and not a bug', () => {
    const folder = mkdtempSync(join(tmpdir(), 'closed-'));
    writeFileSync(join(folder, 'mempalace.yaml'), '');
    expect(isProjectRoot(folder)).toBe(true);
    chmodSync(folder, 0o000);
    expect(isProjectRoot(folder)).toBe(false);
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
});
