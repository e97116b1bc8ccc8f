import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../../src/platform/sqlite.js';
import { withLogged } from '../../../src/store/db/write-ahead-log.js';
import { Palace, palaceFile, readingState } from '../../../src/store/index.js';
import { fileTexts, TINY_MODEL, temporaryFolder } from '../../support/palace.js';

/** A palace that is open, with its last writes in the WAL. */
function open(): { folder: string; palace: Palace } {
  const folder = join(temporaryFolder(), 'palace');
  const palace = Palace.write(folder, TINY_MODEL);
  fileTexts(palace, 'doc:p/a.md', ['the lamps are sold']);
  return { folder, palace };
}

function textsIn(bytes: Buffer): string[] {
  for (const at of [18, 19]) bytes[at] = 1;
  const database = new Database(bytes, { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const texts = database.prepare<[], string>('SELECT text FROM drawers ORDER BY id').pluck().all();
  database.close();
  return texts;
}

describe('the WAL of a palace', () => {
  it('adds what is committed, and nothing of a write that is not finished or of an earlier WAL', () => {
    const { folder, palace } = open();
    palace.emptyLog();
    fileTexts(palace, 'doc:p/b.md', ['the herons are fed']);
    const [file, log] = [readFileSync(palaceFile(folder)), readFileSync(`${palaceFile(folder)}-wal`)];
    const both = ['the lamps are sold', 'the herons are fed'];
    expect(textsIn(withLogged(Buffer.from(file), log))).toEqual(both);
    expect(textsIn(withLogged(Buffer.from(file), Buffer.concat([log, log.subarray(32, 9_000)])))).toEqual(
      both,
    );
    for (const cut of [0, 31, 32, 5_000, log.length - 1])
      expect(textsIn(withLogged(Buffer.from(file), log.subarray(0, cut)))).toEqual(['the lamps are sold']);
    const wrong = Buffer.from(log);
    wrong[200] = (wrong[200] ?? 0) ^ 1;
    expect(textsIn(withLogged(Buffer.from(file), wrong))).toEqual(['the lamps are sold']);
    palace.close();
  });
});

describe('a palace that another machine writes', () => {
  it('is read without SQLite’s files: none is made or changed, and later writes are seen', () => {
    const { folder, palace } = open();
    writeFileSync(join(folder, 'writers', '0123456789abcdef.x-7-1'), '{}');
    const there = (end: string) => readFileSync(palaceFile(folder) + end);
    const before = [there(''), there('-wal'), there('-shm')];
    const state = readingState(folder);
    expect(
      Palace.look(folder, ({ drawers: _, listing }) => listing.drawers({}, { limit: 9, offset: 0 }).length),
    ).toBe(1);
    expect([there(''), there('-wal'), there('-shm')]).toEqual(before);
    expect(readingState(folder)).toBe(state);
    fileTexts(palace, 'doc:p/b.md', ['the herons are fed']);
    expect(readingState(folder)).not.toBe(state);
    expect(Palace.look(folder, ({ listing }) => listing.drawers({}, { limit: 9, offset: 0 }).length)).toBe(2);
    palace.close();
  });

  it('is copied by a backup as it is', () => {
    const { folder, palace } = open();
    const copy = join(temporaryFolder(), 'copy');
    mkdirSync(copy);
    copyFileSync(palaceFile(folder), palaceFile(copy));
    expect(readingState(copy)).not.toBe(readingState(folder));
    palace.close();
  });
});
