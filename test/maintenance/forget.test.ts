import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { backupPalace } from '../../src/maintenance/backup/backup.js';
import { forget, planBackups } from '../../src/maintenance/forget.js';
import { findMeant, meantNow, previewForgetting } from '../../src/maintenance/forgettable.js';
import { keepBackup, keptBackups } from '../../src/store/index.js';
import { it } from '../support/it.js';
import { fileTexts, temporaryFolder } from '../support/palace.js';

const NOW = '2026-01-02T00:00:00.000Z';

it('does not delete a backup that another program locks for a while', async ({ palace }) => {
  fileTexts(palace, 'gone.md', ['what is to go']);
  fileTexts(palace, 'stays.md', ['what is to stay']);
  const { file } = keepBackup(palace.folder, 'repair') ?? { file: '' };
  const meant = { sources: palace.reading.sourcesNamed('gone.md') };
  const other = new Database(file);
  other.exec('BEGIN EXCLUSIVE');
  try {
    await expect(forget(palace, meant, { now: NOW })).rejects.toMatchObject({ code: 'locked' });
  } finally {
    other.close();
  }
  expect(keptBackups(palace.folder).map((kept) => kept.file)).toEqual([file]);
  const again = await forget(palace, meant, { now: NOW });
  expect(again.backups).toEqual([{ file, outcome: 'erased' }]);
});

/** A process that has ended. */
const NOBODY = 2 ** 22 + 1;

it('removes the unfinished copy of a killed command', async ({ palace }) => {
  fileTexts(palace, 'gone.md', ['what is to go']);
  const backups = join(palace.folder, 'backups');
  const scratch = join(palace.folder, `.mempalace-scratch-${NOBODY}`);
  for (const folder of [backups, scratch]) mkdirSync(folder);
  const halves = [join(backups, `.mempalace-tmp-${NOBODY}`), join(scratch, 'palace.sqlite3')];
  for (const half of halves) writeFileSync(half, 'what is to go');
  const sources = palace.reading.sourcesNamed('gone.md');
  await forget(palace, { sources }, { now: NOW });
  expect(halves.filter((half) => existsSync(half))).toEqual([]);
});

it('keeps the next backup after a truncated one, and removes that one', ({ palace }) => {
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

it('a backup does not use a name of SQLite', async ({ palace }) => {
  const { folder } = palace;
  palace.close();
  for (const end of ['-wal', '-shm', '-journal'])
    await expect(
      backupPalace({ palace: folder, target: join(folder, `palace.sqlite3${end}`) }),
    ).rejects.toThrow(/that SQLite uses/);
});

it('announces the action for each backup, and performs it', async ({ palace }) => {
  fileTexts(palace, 'gone.md', ['what is to go']);
  const whole = keepBackup(palace.folder, 'repair')?.file ?? '';
  const broken = keepBackup(palace.folder, 'restore')?.file ?? '';
  writeFileSync(broken, 'SQLite format 3, and no more');
  const aside = join(palace.folder, 'palace.sqlite3.damaged-20260102T030405006Z');
  writeFileSync(aside, 'what is to go');
  writeFileSync(`${aside}-wal`, 'what is to go');
  const sources = palace.reading.sourcesNamed('gone.md');
  const erased = [...planBackups(palace.folder, sources, false)];
  expect(erased).toEqual(
    expect.arrayContaining([
      { file: whole, outcome: 'erased' },
      { file: broken, outcome: 'removed' },
    ]),
  );
  const removed = [...planBackups(palace.folder, sources, true)];
  expect(removed.map(({ file, outcome }) => [file, outcome]).sort()).toEqual(
    [whole, broken, aside].map((file) => [file, 'removed']).sort(),
  );
  const { backups, unknown } = await forget(palace, { sources }, { now: NOW });
  expect([backups, unknown]).toEqual([erased, [aside]]);
  const again = await forget(palace, { sources: [] }, { now: NOW, removeBackups: true });
  // The intact backup no longer contains the source, and stays.
  expect(again.backups).toEqual([{ file: aside, outcome: 'removed' }]);
  expect(readdirSync(palace.folder).filter((name) => name.includes('damaged'))).toEqual([]);
  expect(keptBackups(palace.folder).map(({ file }) => file)).toEqual([whole]);
});

it('removes whole backups on request', async ({ palace }) => {
  fileTexts(palace, 'stays.md', ['what is to stay']);
  const before = keepBackup(palace.folder, 'repair')?.file ?? '';
  fileTexts(palace, 'gone.md', ['what is to go']);
  const holding = keepBackup(palace.folder, 'restore')?.file ?? '';
  const sources = palace.reading.sourcesNamed('gone.md');
  const { backups } = await forget(palace, { sources }, { now: NOW, removeBackups: true });
  expect(backups).toEqual([{ file: holding, outcome: 'removed' }]);
  expect(keptBackups(palace.folder).map(({ file }) => file)).toEqual([before]);
});

it('a backup removes leftovers of a killed one in that folder, and nothing else', async ({ palace }) => {
  fileTexts(palace, 'source', ['text']);
  const { folder } = palace;
  palace.close();
  const target = temporaryFolder();
  const left = [`.a.sqlite3.mempalace-tmp-${NOBODY}`, `.b.mempalace-tmp-${NOBODY}-journal`];
  const others = [
    `.a.mempalace-tmp-${process.ppid}`,
    `a.mempalace-tmp-${NOBODY}`,
    '.mempalace-tmp-x',
    'notes',
  ];
  for (const name of [...left, ...others]) writeFileSync(join(target, name), 'x');
  await backupPalace({ palace: folder, target: join(target, 'now.sqlite3') });
  expect(readdirSync(target).sort()).toEqual([...others, 'now.sqlite3'].sort());
});

it('erases the checkpoints of a session that is named by its key', async ({ palace }) => {
  const key = 'session:claude-code:talk-1';
  fileTexts(palace, key, ['what was said']);
  fileTexts(palace, `checkpoint:${key}/1.md`, ['what was asked']);
  fileTexts(palace, 'checkpoint:session:claude-code:talk-12/1.md', ['another session']);
  const { sources } = findMeant(palace, { source: key });
  expect(sources.map(({ sourceKey }) => sourceKey)).toEqual([key, `checkpoint:${key}/1.md`]);
});

it('erases from a backup what repeats a forgotten session, also what is not filed any more', async ({
  palace,
}) => {
  const key = 'claude-code:talk-1';
  fileTexts(palace, key, ['what was said'], { kind: 'conversation' });
  fileTexts(palace, `checkpoint:${key}/2.md`, ['what was asked']);
  fileTexts(palace, `checkpoint:${key}/helper/1.md`, ['what the helper was asked']);
  fileTexts(palace, 'checkpoint:claude-code:talk-12/1.md', ['another session']);
  const { file } = keepBackup(palace.folder, 'repair') ?? { file: '' };
  for (const source of palace.sources.below(`checkpoint:${key}/`)) palace.remove(source.id);
  const meant = findMeant(palace, { source: key });
  expect(meant.sources).toHaveLength(1);
  await forget(palace, meant, { now: NOW });
  const backup = new Database(file, { readonly: true });
  try {
    const keys = backup.prepare('SELECT source_key FROM sources').pluck().all();
    expect(keys).toEqual(['checkpoint:claude-code:talk-12/1.md']);
  } finally {
    backup.close();
  }
  expect([
    ...planBackups(palace.folder, [{ sourceKey: key, kind: 'conversation', origin: '' }], false),
  ]).toEqual([]);
});

it('names a backup that would be removed in the preview’s id, not one that stays', ({ palace }) => {
  fileTexts(palace, 'gone.md', ['what is to go']);
  const what = { source: 'gone.md' };
  const preview = (removeBackups: boolean) => previewForgetting(palace, what, removeBackups);
  const before = preview(false).id;
  expect(preview(true).id).toBe(before);
  const { file } = keepBackup(palace.folder, 'repair') ?? { file: '' };
  expect(preview(false)).toMatchObject({ id: before, backups: [{ file, outcome: 'erased' }] });
  expect(preview(true).id).not.toBe(before);
  expect(() => meantNow(palace, { ...what, backups: true, preview: before })).toThrow(/has changed/);
});
