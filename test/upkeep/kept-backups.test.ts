import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { inspectPalace, keepBackup, keptBackups, palaceFile } from '../../src/store/index.js';
import { fileTexts, temporaryFolder, temporaryPalace } from '../support/palace.js';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('the last three are kept, private, checked, and each as the palace was then', () => {
  const palace = temporaryPalace();
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

it('there is none of what is not there', () => {
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

it('says what a file lacks that is no palace', () => {
  const file = join(temporaryFolder(), 'other.sqlite3');
  const other = new Database(file);
  other.exec('CREATE TABLE notes (text)');
  other.close();
  expect(() => inspectPalace(file)).toThrow(/it holds no palace/);
  expect(() => inspectPalace(`${file}.gone`)).toThrow(/there is no file/);
});
