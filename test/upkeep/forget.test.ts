import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { keepBackup, keptBackups } from '../../src/store/index.js';
import { forget } from '../../src/upkeep/index.js';
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
