import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { modeFault } from '../../../src/core/modes.js';
import { ownershipWarnings, refuseForeignHands } from '../../../src/store/db/ownership.js';
import { Palace, palaceFile } from '../../../src/store/index.js';
import { TINY_MODEL, temporaryFolder, temporaryPalace } from '../../support/palace.js';

const me = process.getuid?.() ?? 0;
const isRoot = me === 0;

function closedPalace(): string {
  const palace = temporaryPalace();
  palace.close();
  return palace.folder;
}

function errorOf(work: () => unknown): UserError {
  try {
    work();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

it.skipIf(isRoot)('a palace that the user may not read is not called missing', () => {
  const folder = closedPalace();
  chmodSync(folder, 0o000);
  const error = errorOf(() => Palace.read(folder));
  chmodSync(folder, 0o700);
  expect(error.code).toBe('unreadable');
  expect(error.message).toContain('permission denied');
});

describe('a palace that others can write', () => {
  it.each([
    ['its folder', 0o777, (folder: string) => folder, '700'],
    ['its folder, by a group', 0o770, (folder: string) => folder, '700'],
    ['its file', 0o666, palaceFile, '600'],
    ['its file, by a group', 0o660, palaceFile, '600'],
  ])('%s: is refused, for reading and writing, with a hint', (_, mode, pathOf, wanted) => {
    const folder = closedPalace();
    const path = pathOf(folder);
    chmodSync(path, mode);
    for (const open of [() => Palace.read(folder), () => Palace.write(folder, TINY_MODEL)]) {
      const error = errorOf(open);
      expect(error.code).toBe('failed');
      expect(error.message).toBe(`others may write ${path} (mode 0${mode.toString(8)}): it is not trusted`);
      expect(error.hint).toContain(`chmod ${wanted} ${path}`);
    }
    expect(statSync(path).mode & 0o777).toBe(mode);
    chmodSync(path, Number.parseInt(wanted, 8));
    Palace.read(folder).close();
  });

  it('is not yet created: an empty folder becomes private', () => {
    const folder = join(temporaryFolder(), 'palace');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    Palace.write(folder, TINY_MODEL).close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe('modes', () => {
  it('of our own files are repaired by every writer', () => {
    const folder = closedPalace();
    chmodSync(folder, 0o755);
    chmodSync(palaceFile(folder), 0o644);
    Palace.read(folder).close();
    Palace.write(folder, TINY_MODEL).close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(palaceFile(folder)).mode & 0o777).toBe(0o600);
  });

  it('describe the permissions of a file', () => {
    expect(modeFault({ mode: 0o100600, uid: 1000 }, 1000)).toBeUndefined();
    expect(modeFault({ mode: 0o100644, uid: 1000 }, 1000)).toBe('others-may-read');
    expect(modeFault({ mode: 0o100600, uid: 0 }, 1000)).toBe('belongs-to-another');
    expect(modeFault({ mode: 0o040720, uid: 0 }, 1000)).toBe('others-may-write');
  });
});

describe('a palace of another user', () => {
  it.skipIf(!isRoot)('is used, with a warning (needs root)', () => {
    const folder = closedPalace();
    expect(ownershipWarnings(folder)).toEqual([]);
    chownSync(folder, 1000, 1000);
    const palace = Palace.read(folder);
    expect(palace.warnings()).toEqual([
      {
        text: `${folder} belongs to user 1000, not to you (0)`,
        hint: `sudo chown -R "$USER" ${folder}, or run as its owner`,
      },
    ]);
    palace.close();
  });

  it.skipIf(!isRoot)(
    'and is root’s volume of a container, works though others may write (needs root)',
    () => {
      const folder = closedPalace();
      chmodSync(folder, 0o777);
      expect(() => refuseForeignHands(folder, 1000)).not.toThrow();
      expect(ownershipWarnings(folder, 1000)[0]?.text).toContain('and others may write it');
    },
  );

  it.skipIf(!isRoot)('and not root’s, is refused if others can write (needs root)', () => {
    const folder = closedPalace();
    chmodSync(folder, 0o777);
    chownSync(folder, 1001, 1001);
    expect(() => refuseForeignHands(folder, 1000)).toThrowError(/others may write/);
  });
});
