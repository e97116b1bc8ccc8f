import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { keepBackup, keptBackups } from '../../src/store/index.js';
import { backupPalace, forget } from '../../src/upkeep/index.js';
import { fileTexts, temporaryPalace } from '../support/palace.js';

it('throws no backup away that another program holds for a while', async () => {
  const palace = temporaryPalace();
  fileTexts(palace, 'gone.md', ['what is to go']);
  fileTexts(palace, 'stays.md', ['what is to stay']);
  const { file } = keepBackup(palace.folder, 'repair') ?? { file: '' };
  const meant = { sources: palace.forgetting.sources({ by: 'key', key: 'gone.md' }), tombstones: [] };
  const other = new Database(file);
  other.exec('BEGIN EXCLUSIVE');
  try {
    await expect(forget(palace, meant, '2026-01-02T00:00:00.000Z')).rejects.toMatchObject({ code: 'locked' });
  } finally {
    other.close();
  }
  expect(keptBackups(palace.folder).map((kept) => kept.file)).toEqual([file]);
  const again = await forget(palace, meant, '2026-01-02T00:00:00.000Z');
  expect(again.backups).toEqual([{ file, outcome: 'erased' }]);
});

/** A process that is not there any more. */
const NOBODY = 2 ** 22 + 1;

it('leaves no copy that a killed command was at', async () => {
  const palace = temporaryPalace();
  fileTexts(palace, 'gone.md', ['what is to go']);
  const backups = join(palace.folder, 'backups');
  const scratch = join(palace.folder, `.mempalace-scratch-${NOBODY}`);
  for (const folder of [backups, scratch]) mkdirSync(folder);
  const halves = [join(backups, `.mempalace-tmp-${NOBODY}`), join(scratch, 'palace.sqlite3')];
  for (const half of halves) writeFileSync(half, 'what is to go');
  const sources = palace.forgetting.sources({ by: 'key', key: 'gone.md' });
  await forget(palace, { sources, tombstones: [] }, '2026-01-02T00:00:00.000Z');
  expect(halves.filter((half) => existsSync(half))).toEqual([]);
});

it('keeps the next backup where one was cut short, and clears that away', () => {
  const palace = temporaryPalace();
  fileTexts(palace, 'source', ['text']);
  const backups = join(palace.folder, 'backups');
  mkdirSync(backups);
  writeFileSync(join(backups, `.mempalace-tmp-${NOBODY}`), 'half of');
  writeFileSync(join(backups, `.mempalace-tmp-${process.ppid}`), 'at work');
  keepBackup(palace.folder, 'reembed');
  expect(readdirSync(backups).filter((name) => name.startsWith('.'))).toEqual([
    `.mempalace-tmp-${process.ppid}`,
  ]);
});

it('no backup takes a name that SQLite uses', async () => {
  const palace = temporaryPalace();
  const { folder } = palace;
  palace.close();
  for (const end of ['-wal', '-shm', '-journal'])
    await expect(
      backupPalace({ palace: folder, target: join(folder, `palace.sqlite3${end}`) }),
    ).rejects.toThrow(/that SQLite uses/);
});
