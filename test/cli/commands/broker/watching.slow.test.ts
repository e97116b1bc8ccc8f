import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { watchedOf } from '../../../../src/cli/commands/broker/watching.js';
import { placedHarnesses } from '../../../../src/feeders/transcripts/present.js';
import { Database } from '../../../../src/platform/sqlite.js';
import { Watcher } from '../../../../src/watch/watcher.js';
import { temporaryFolder } from '../../../support/palace.js';

it('links are resolved whenever it is looked, and what does not exist is found when it is there', () => {
  const folder = temporaryFolder();
  const [project, link] = [join(folder, 'project'), join(folder, 'link')];
  mkdirSync(project);
  symlinkSync(project, link);
  const [database, linked] = [join(project, 'opencode.db'), join(folder, 'linked.db')];
  writeFileSync(database, '');
  symlinkSync(database, linked);
  const watched = watchedOf([link, join(folder, 'gone')], [{ path: linked, kind: 'sqlite' }]);
  const found = () => watched.map(({ name, find, command }) => [name, find()?.paths, command]);
  const sources = [
    [link, [project], ['mempalace-docs', link]],
    [join(folder, 'gone'), undefined, ['mempalace-docs', join(folder, 'gone')]],
    [linked, [database, `${database}-wal`], ['mempalace-session', '--db', linked, '--since']],
  ];
  expect(found()).toEqual(sources);
  rmSync(link);
  rmSync(database);
  mkdirSync(join(folder, 'gone'));
  expect(found().map(([, paths]) => paths)).toEqual([undefined, [join(folder, 'gone')], undefined]);
});

it('the transcripts of each agent are filed by its name', () => {
  const home = temporaryFolder();
  const folders = ['.claude/projects', '.codex/sessions', '.codex/archived_sessions'].map((path) =>
    join(home, path),
  );
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const watched = watchedOf([], [], placedHarnesses({ HOME: home }));
  expect(watched.map(({ name, command }) => [name, command[2]])).toEqual([
    [folders[0], 'claude-code'],
    [folders[1], 'codex'],
    [folders[2], 'codex'],
  ]);
  const names = ['talk.jsonl', 'talk.jsonl.zst', 'session-1.json', 'tool-output.txt'];
  expect(names.filter((name) => watched[0]?.ignores?.(name) !== true)).toEqual(names.slice(0, 3));
});

it('files of a project that are never documents are not watched, such as a log or a palace', () => {
  const [{ ignores } = {}] = watchedOf([temporaryFolder()], []);
  const names = ['notes.md', 'Makefile', 'LICENSE', 'app.log', 'palace.sqlite3-wal', 'uses.jsonl', 'main.ts'];
  expect(names.filter((name) => ignores?.(name) !== true)).toEqual(['notes.md', 'Makefile', 'LICENSE']);
});

it('reading a database of a program that has ended is not a change of it', async () => {
  const path = join(temporaryFolder(), 'opencode.db');
  const open = (options = {}) => new Database(path, options);
  const writer = open();
  writer.pragma('journal_mode = WAL');
  writer.exec('CREATE TABLE t (x)');
  writer.close();
  let filed = 0;
  const watcher = new Watcher({
    watched: watchedOf([], [{ path, kind: 'sqlite' }]),
    quietMs: 300,
    async file() {
      const reader = open({ readonly: true });
      reader.prepare('SELECT * FROM t').all();
      reader.close();
      filed += 1;
      return 0;
    },
    onEvent: () => {},
  });
  onTestFinished(() => watcher.end());
  await watcher.begin();
  const again = open();
  // The log is watched a moment after the beginning.
  const rowFiled = () => {
    again.exec('INSERT INTO t VALUES (1)');
    return filed;
  };
  await expect.poll(rowFiled, { timeout: 10_000, interval: 700 }).toBeGreaterThan(0);
  again.close();
  await sleep(2_000);
  const before = filed;
  await sleep(2_000);
  expect(filed - before).toBeLessThan(2);
});

it('a database that is removed and made again, or replaced, is filed, and watched from then on', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'opencode.db');
  const withRows = (file: string, rows: number) => {
    const database = new Database(file);
    database.exec('CREATE TABLE IF NOT EXISTS t (x)');
    for (let row = 0; row < rows; row += 1) database.exec(`INSERT INTO t VALUES ('${'x'.repeat(3_000)}')`);
    database.close();
  };
  withRows(path, 1);
  let filed = 0;
  const watcher = new Watcher({
    watched: watchedOf([], [{ path, kind: 'sqlite' }]),
    quietMs: 200,
    lookMs: 100,
    file: async () => {
      filed += 1;
      return 0;
    },
    onEvent: () => {},
  });
  onTestFinished(() => watcher.end());
  await watcher.begin();
  const more = async (change: () => void) => {
    const before = filed;
    change();
    await expect.poll(() => filed, { timeout: 10_000 }).toBeGreaterThan(before);
    await sleep(600);
  };
  rmSync(path);
  await expect.poll(() => watcher.state.missing, { timeout: 10_000 }).toEqual([path]);
  await more(() => withRows(path, 3));
  await more(() => withRows(path, 5));
  withRows(`${path}-new`, 20);
  await more(() => renameSync(`${path}-new`, path));
  await more(() => withRows(path, 7));
  expect(watcher.state).toMatchObject({ paths: [path, `${path}-wal`], missing: [] });
});
