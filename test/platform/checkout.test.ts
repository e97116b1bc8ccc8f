import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locate } from '../../src/platform/checkout.js';
import { temporaryFolder } from '../support/palace.js';

function git(folder: string, ...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', ['-C', folder, ...who, ...args], { stdio: 'ignore' });
}

describe('locate', () => {
  it('names the main checkout of a linked worktree, as git wrote it', () => {
    const base = realpathSync(temporaryFolder());
    const [main, root] = [join(base, 'main'), join(base, 'fix')];
    mkdirSync(join(main, 'docs'), { recursive: true });
    git(main, 'init', '-q');
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(main, 'worktree', 'add', '-q', root);
    mkdirSync(join(root, 'docs'));
    symlinkSync(join(root, 'docs'), join(base, 'link'));
    for (const path of [join(root, 'docs'), join(base, 'link')])
      expect(locate(path)).toEqual({ folder: join(root, 'docs'), worktree: { root, main } });
    expect(locate(join(main, 'docs'))).toEqual({ folder: join(main, 'docs'), worktree: undefined });
  });

  it('finds no worktree by other files, and nothing for a folder that is gone', () => {
    const base = realpathSync(temporaryFolder());
    for (const text of ['', 'gitdir: ../.git/modules/sub\n', 'gitdir: /x/.git/worktrees/\n', '\0\0']) {
      writeFileSync(join(base, '.git'), text);
      expect(locate(base)).toEqual({ folder: base, worktree: undefined });
    }
    writeFileSync(join(base, '.git'), 'gitdir: ../main/.git/worktrees/fix\n');
    expect(locate(base)?.worktree).toEqual({ root: base, main: join(base, '../main') });
    expect(locate(join(base, 'gone'))).toBeUndefined();
  });
});
