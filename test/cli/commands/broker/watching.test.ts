import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { watchedOf } from '../../../../src/cli/commands/broker/watching.js';
import { Database } from '../../../../src/platform/sqlite.js';
import { Watcher } from '../../../../src/watch/watcher.js';
import { temporaryFolder } from '../../../support/palace.js';

it('links are resolved, and what does not exist is left out', () => {
  const folder = temporaryFolder();
  const [project, link] = [join(folder, 'project'), join(folder, 'link')];
  mkdirSync(project);
  symlinkSync(project, link);
  const [database, linked] = [join(project, 'opencode.db'), join(folder, 'linked.db')];
  writeFileSync(database, '');
  symlinkSync(database, linked);
  const watched = watchedOf([link, join(folder, 'gone')], [{ path: linked, kind: 'sqlite' }]);
  expect(watched.map(({ paths, command }) => [paths, command])).toEqual([
    [[project], ['mempalace-docs', link]],
    [
      [database, `${database}-wal`],
      ['mempalace-session', '--db', linked, '--since'],
    ],
  ]);
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
