import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { planRestore, restorePalace } from '../../src/maintenance/backup/restore.js';
import { inspectPalace, keepBackup, keptBackups, Palace, palaceFile } from '../../src/store/index.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { it } from '../support/it.js';
import { fileTexts, temporaryFolder } from '../support/palace.js';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

const recorded = () => ({
  run: { command: 'restore', scope: '', narrowed: true, versions: {}, startedMs: 1 },
  end: { exitCode: 0, counts: {}, skipped: [] },
});

it('the last three are kept, private and checked, each with the palace of its time', ({ palace }) => {
  const kept = ['restore', 'repair', 'reembed', 'migration', 'repair'].map((reason, index) => {
    fileTexts(palace, `source ${index}`, [`text ${index}`]);
    return keepBackup(palace.folder, reason as 'repair');
  });
  expect(kept.map((backup) => backup?.reason)).toEqual([
    'restore',
    'repair',
    'reembed',
    'migration',
    'repair',
  ]);
  const left = keptBackups(palace.folder);
  expect(left.map(({ reason }) => reason)).toEqual(['repair', 'migration', 'reembed']);
  expect(left.map(({ file }) => inspectPalace(file).sources)).toEqual([5, 4, 3]);
  expect(left.map(({ file }) => mode(file))).toEqual(['600', '600', '600']);
  expect(mode(join(palace.folder, 'backups'))).toBe('700');
  expect(readdirSync(join(palace.folder, 'backups'))).toHaveLength(3);
});

it('a missing palace has none', () => {
  const folder = join(temporaryFolder(), 'palace');
  expect(keepBackup(folder, 'restore')).toBeUndefined();
  expect(keptBackups(folder)).toEqual([]);
});

it('a palace that SQLite cannot copy is kept byte for byte', () => {
  const folder = join(temporaryFolder(), 'palace');
  mkdirSync(folder);
  writeFileSync(palaceFile(folder), 'this was a palace');
  const kept = keepBackup(folder, 'repair');
  expect(kept?.bytes).toBe('this was a palace'.length);
  expect(() => inspectPalace(kept?.file ?? '')).toThrow(/not a readable palace/);
});

it('says why a file is not a palace', () => {
  const file = join(temporaryFolder(), 'other.sqlite3');
  const other = new Database(file);
  other.exec('CREATE TABLE notes (text)');
  other.close();
  expect(() => inspectPalace(file)).toThrow(/it contains no palace/);
  expect(() => inspectPalace(`${file}.gone`)).toThrow(/there is no file/);
});

it('the oldest one can be restored before it is removed', async ({ palace }) => {
  for (const index of [0, 1, 2]) {
    fileTexts(palace, `source ${index}`, [`text ${index}`]);
    keepBackup(palace.folder, 'repair');
  }
  const oldest = keptBackups(palace.folder).at(-1)?.file ?? '';
  fileTexts(palace, 'source 3', ['text 3']);
  const done = await restorePalace({ palace: palace.folder, file: oldest, keep: true, record: recorded });
  expect(done.sources).toBe(1);
  expect(planRestore(palace.folder, oldest).backup.sources).toBe(1);
  expect(inspectPalace(done.before?.file ?? '').sources).toBe(4);
});

it('a damaged palace does not replace intact ones', ({ palace }) => {
  fileTexts(palace, 'source', ['text']);
  keepBackup(palace.folder, 'repair');
  palace.close();
  writeFileSync(palaceFile(palace.folder), 'this was a palace');
  for (let i = 0; i < 4; i += 1) keepBackup(palace.folder, 'reembed');
  const kept = keptBackups(palace.folder);
  expect(kept.map(({ reason, damaged }) => [reason, damaged])).toEqual([
    ['reembed', true],
    ['repair', false],
  ]);
});

it('a clock that was set back does not remove a backup', ({ palace }) => {
  fileTexts(palace, 'source', ['text']);
  const backups = join(palace.folder, 'backups');
  for (const year of [2097, 2098, 2099]) {
    const kept = keepBackup(palace.folder, 'repair');
    renameSync(kept?.file ?? '', join(backups, `${year}0101T000000000Z-before-repair.sqlite3`));
  }
  const kept = keepBackup(palace.folder, 'reembed');
  expect(inspectPalace(kept?.file ?? '').sources).toBe(1);
  expect(keptBackups(palace.folder)).toHaveLength(3);
});

it('a migration that fails repeatedly keeps the earlier backups', () => {
  const folder = join(temporaryFolder(), 'palace');
  earlierPalaces()
    .find(({ version }) => version === 3)
    ?.layInto(folder);
  for (let i = 0; i < 3; i += 1) keepBackup(folder, 'repair');
  const before = keptBackups(folder);
  const raw = new Database(palaceFile(folder));
  // The next version creates a table of this name.
  raw.exec('CREATE TABLE entities (id TEXT)');
  raw.close();
  for (let i = 0; i < 3; i += 1) expect(() => Palace.read(folder)).toThrow(/entities already exists/);
  expect(keptBackups(folder)).toEqual(before);
  const mended = new Database(palaceFile(folder));
  mended.exec('DROP TABLE entities');
  mended.close();
  Palace.read(folder).close();
  expect(keptBackups(folder).map(({ reason }) => reason)).toEqual(['migration', 'repair', 'repair']);
});
