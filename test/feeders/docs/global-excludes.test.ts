import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { globalExcludes } from '../../../src/feeders/docs/global-excludes.js';
import { removeFolder } from '../../support/cleanups.js';
import { makeTree, paths, survey } from './support.js';

const hasGit = spawnSync('git', ['--version']).status === 0;
const DOCUMENTS = {
  'shop/docs/a.md': 'a',
  'shop/scratch/me.md': 'private',
  'shop/todo.local.md': 'private',
  'shop/keep.local.md': 'kept',
};
const IGNORED = 'scratch/\n*.local.md\n';

const made: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const root of made.splice(0)) removeFolder(root);
});

/** A HOME with a repository `shop`, which git and the survey read as their own. */
function home(files: Record<string, string>): string {
  const root = makeTree({ ...DOCUMENTS, 'shop/.git/HEAD': 'ref: refs/heads/main\n', ...files });
  made.push(root);
  if (hasGit) execFileSync('git', ['init', '-q', join(root, 'shop')], { stdio: 'ignore' });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  vi.stubEnv('HOME', root);
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  vi.stubEnv('GIT_CONFIG_GLOBAL', undefined);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  return root;
}

function listedByGit(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: join(root, 'shop') });
  return listed
    .toString()
    .trim()
    .split('\n')
    .filter((path) => path.endsWith('.md'))
    .sort();
}

const ONLY = ['docs/a.md'];
const WITH_KEPT = ['docs/a.md', 'keep.local.md'];

describe.each([
  ['with git', true],
  ['without git', false],
])('%s, what the user ignores in every repository is ignored', (_, usesGit) => {
  it.skipIf(usesGit && !hasGit).each<[string, Record<string, string>, string[]]>([
    ['~/.config/git/ignore', { '.config/git/ignore': IGNORED }, ONLY],
    [
      'core.excludesFile',
      { '.gitconfig': '[core]\n\texcludesFile = ~/.ignored\n', '.ignored': IGNORED },
      ONLY,
    ],
    [
      'a path in quotes, in the file of XDG',
      { '.config/git/config': '[core]\nexcludesfile = "~/my ignored" # mine\n', 'my ignored': IGNORED },
      ONLY,
    ],
    [
      'an included file',
      {
        '.gitconfig': '[user]\n  name = a\n[include]\n  path = more/git.inc\n',
        'more/git.inc': '[core]\n  excludesFile = ~/.ignored\n',
        '.ignored': IGNORED,
      },
      ONLY,
    ],
    [
      'the last file that names one',
      {
        '.config/git/config': '[core]\nexcludesfile = ~/none\n',
        '.gitconfig': '[core]\nexcludesfile = ~/.ignored\n',
        '.ignored': IGNORED,
      },
      ONLY,
    ],
    [
      'in place of the default',
      { '.gitconfig': '[core]\nexcludesfile =\n', '.config/git/ignore': IGNORED },
      ['docs/a.md', 'keep.local.md', 'scratch/me.md', 'todo.local.md'],
    ],
    [
      'before the rules of the repository',
      { '.config/git/ignore': IGNORED, 'shop/.git/info/exclude': '!*.local.md\ntodo*\n' },
      WITH_KEPT,
    ],
    [
      'before its .gitignore',
      { '.config/git/ignore': IGNORED, 'shop/.gitignore': '!keep.local.md\n' },
      WITH_KEPT,
    ],
  ])('%s', async (_name, files, expected) => {
    const root = home(files);
    if (hasGit) expect(listedByGit(root)).toEqual(expected);
    if (!usesGit) vi.stubEnv('PATH', join(root, 'nowhere'));
    expect(paths(await survey(join(root, 'shop')))).toEqual(expected);
    const all = await survey(join(root, 'shop'), { gitignore: false });
    expect(paths(all)).toHaveLength(4);
  });

  it('through a link, in the folder of XDG_CONFIG_HOME', async () => {
    const root = home({ 'dotfiles/ignored': IGNORED, 'xdg/git/config': '' });
    symlinkSync(join(root, 'dotfiles/ignored'), join(root, 'xdg/git/ignore'));
    vi.stubEnv('XDG_CONFIG_HOME', join(root, 'xdg'));
    if (!usesGit) vi.stubEnv('PATH', join(root, 'nowhere'));
    expect(paths(await survey(join(root, 'shop')))).toEqual(ONLY);
  });
});

it('applies in repositories only, and ends for files that include each other', async () => {
  const root = home({
    '.config/git/ignore': IGNORED,
    'notes/x.local.md': 'x',
    '.gitconfig': '[include]\npath = .gitconfig\n[core]\n',
  });
  expect(paths(await survey(join(root, 'notes')))).toEqual(['x.local.md']);
  vi.stubEnv('PATH', join(root, 'nowhere'));
  expect(await globalExcludes(join(root, 'shop'))).toBe(IGNORED);
});
