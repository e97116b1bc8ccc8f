import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchedOf } from '../../../../src/cli/commands/broker/watching.js';
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
