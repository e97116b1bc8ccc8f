import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IgnoreRules, repositoryOf } from '../../../src/feeders/docs/ignore-rules.js';
import { removeFolder } from '../../support/cleanups.js';

const GIT_ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
const hasGit = spawnSync('git', ['--version']).status === 0;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ignore-'));
});
afterEach(() => {
  removeFolder(root);
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env: GIT_ENV, stdio: 'pipe' });

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** As in the survey: from the top down, to the first excluded folder. */
function ignoredByUs(path: string): boolean {
  let rules = IgnoreRules.at(root, '.gitignore', [repositoryOf(root)?.exclude ?? '']);
  const segments = path.split('/');
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const part = join(root, ...segments.slice(0, depth));
    const isFolder = depth < segments.length;
    if (rules.excludes(part, isFolder)) return true;
    if (isFolder) rules = rules.inside(part);
  }
  return false;
}

function ignoredByGit(paths: string[]): Set<string> {
  const run = spawnSync('git', ['check-ignore', '--no-index', '--stdin', '-z'], {
    cwd: root,
    env: GIT_ENV,
    input: paths.map((path) => `${path}\0`).join(''),
    encoding: 'utf8',
  });
  expect([0, 1]).toContain(run.status);
  return new Set(run.stdout.split('\0').filter((path) => path !== ''));
}

describe('ignore rules', () => {
  it.skipIf(!hasGit)('agree with git check-ignore on any tree (needs git)', () => {
    const FOLDERS = ['', 'a', 'a/b', 'a/b/c', 'docs', 'docs/a', 'sp ace', 'br[a]', 'st*r', 'ba\\ck', 'ex!#'];
    const FILES = ['x.md', 'y.txt', 'a', '#h.md', '!n.md', 'ü.md', 'x y.md', '.hid'];
    const paths = FOLDERS.flatMap((folder) =>
      FILES.filter((file) => !FOLDERS.includes(`${folder === '' ? '' : `${folder}/`}${file}`)).map((file) =>
        folder === '' ? file : `${folder}/${file}`,
      ),
    );
    git('init', '-q');
    for (const path of paths) write(path, 'x');

    const word = fc.constantFrom(...'a b docs x.md *.md *.txt * ** x* ?.md [xy].* ü.md'.split(' '));
    const odd = fc.constantFrom(
      '\\#h.md',
      '\\!n.md',
      '#h.md',
      'x.md   ',
      'x\\ y.md',
      'x y.md',
      '/',
      '!',
      '',
      'a//b',
      'br\\[a\\]',
    );
    const pattern = fc
      .tuple(
        fc.constantFrom('', '', '', '!'),
        fc.constantFrom('', '', '/'),
        fc.oneof(
          {
            weight: 5,
            arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('/')),
          },
          { weight: 1, arbitrary: odd },
        ),
        fc.constantFrom('', '', '/'),
      )
      .map((parts) => parts.join(''));
    const file = fc.tuple(
      fc.array(pattern, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\ufeff'),
    );
    const place = fc.constantFrom(
      ...FOLDERS.map((folder) => join(folder, '.gitignore')),
      '.git/info/exclude',
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(place, file), { minLength: 1, maxLength: 4, selector: ([at]) => at }),
        (files) => {
          for (const [at, [lines, end, mark]] of files) write(at, mark + lines.join(end) + end);
          try {
            const expected = ignoredByGit(paths);
            expect(paths.filter(ignoredByUs)).toEqual(paths.filter((path) => expected.has(path)));
          } finally {
            for (const [at] of files) rmSync(join(root, at));
          }
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });

  it('end at an excluded folder: nothing below is included again', () => {
    write('.gitignore', 'out/\n!out/keep.md\nlogs/*\n!logs/keep.md\n');
    expect(ignoredByUs('out/keep.md')).toBe(true);
    expect(ignoredByUs('logs/keep.md')).toBe(false);
    expect(ignoredByUs('logs/other.md')).toBe(true);
  });

  it('ignore an ignore file that is a link or very large', () => {
    write('.gitignore', `${'# filler\n'.repeat(150_000)}*.md\n`);
    expect(ignoredByUs('a.md')).toBe(false);
  });

  it.skipIf(!hasGit)('find info/exclude from a worktree and a submodule (needs git)', () => {
    git('init', '-q', 'main');
    const main = join(root, 'main');
    execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'a'], { cwd: main, env: GIT_ENV });
    execFileSync('git', ['worktree', 'add', '-q', '../tree'], { cwd: main, env: GIT_ENV, stdio: 'pipe' });
    write('main/.git/info/exclude', 'private.md\n');
    const tree = repositoryOf(join(root, 'tree'));
    expect(tree).toEqual({ top: join(root, 'tree'), exclude: 'private.md\n' });
    write('main/.git/modules/sub/info/exclude', 'sub.md\n');
    write('main/sub/.git', 'gitdir: ../.git/modules/sub\n');
    expect(repositoryOf(join(root, 'main', 'sub'))?.exclude).toBe('sub.md\n');
    expect(repositoryOf(join(main, 'deep')), 'a folder below').toMatchObject({ top: main });
  });
});
