import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/palace.js';
import { has } from '../support/tools.js';

const ORIGIN = fileURLToPath(new URL('../../scripts/origin.mjs', import.meta.url));

/** What scripts/origin.mjs says of a folder. */
function origin(root: string, env: Record<string, string> = {}): { commit: string; day: string } {
  const code = `import { commitOf, dateOf } from ${JSON.stringify(ORIGIN)};
    const day = dateOf(process.argv[1]).toISOString().slice(0, 10);
    console.log(JSON.stringify({ commit: commitOf(process.argv[1]), day }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code, root], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: root, ...env },
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** A folder that might be built. */
function folder(parent = temporaryFolder()): string {
  const root = join(parent, 'tool kit');
  mkdirSync(root);
  writeFileSync(join(root, 'package.json'), '{"version": "1.2.3"}');
  utimesSync(join(root, 'package.json'), 0, Date.UTC(2026, 0, 5, 12) / 1000);
  return root;
}

function git(root: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const date = '2026-02-01T12:00:00Z';
  const { stdout, status } = spawnSync('git', [...identity, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: root, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
  expect(status).toBe(0);
  return stdout.trim();
}

function commit(root: string): string {
  git(root, 'init', '-q');
  git(root, 'add', '.');
  git(root, 'commit', '-qm', 'first');
  return git(root, 'rev-parse', '--short=7', 'HEAD');
}

describe('where a build comes from', () => {
  it('is the day of the version, or that of the files, without git', () => {
    const root = folder();
    expect(origin(root)).toEqual({ commit: '', day: '2026-01-05' });
    writeFileSync(join(root, 'CHANGELOG.md'), '## Unreleased\n\n## 1.2.2 - 2025-01-01\n');
    expect(origin(root).day).toBe('2026-01-05');
    writeFileSync(join(root, 'CHANGELOG.md'), '## [1.2.3] - 2026-03-04\n\n## 1.2.2 - 2025-01-01\n');
    expect(origin(root).day).toBe('2026-03-04');
    expect(origin(root, { SOURCE_DATE_EPOCH: '0' }).day).toBe('1970-01-01');
  });

  it.skipIf(!has('git'))('is the commit, and whether files differ from it (skipped without git)', () => {
    const root = folder();
    const hash = commit(root);
    expect(origin(root)).toEqual({ commit: hash, day: '2026-02-01' });
    expect(origin(root, { GIT_DIR: '/nowhere' }).commit).toBe(hash);
    writeFileSync(join(root, 'package.json'), '{"version": "1.2.4"}');
    expect(origin(root).commit).toBe(`${hash}-dirty`);
  });

  it.skipIf(!has('git'))('is no repository around the folder (skipped without git)', () => {
    const outer = temporaryFolder();
    const root = folder(outer);
    commit(outer);
    expect(origin(root)).toEqual({ commit: '', day: '2026-01-05' });
  });
});
