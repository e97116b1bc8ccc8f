import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProjectRoot } from '../../../src/feeders/docs/root.js';
import { placeOf } from '../../../src/feeders/staging/in-project.js';
import { temporaryFolder } from '../../support/palace.js';

/** A repository with linked worktrees beside it and in it. */
function repository() {
  const base = realpathSync(temporaryFolder());
  const shop = join(base, 'shop');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', shop, '-c', 'user.email=a@b.c', '-c', 'user.name=n', ...args], {
      stdio: 'pipe',
    });
  mkdirSync(join(shop, 'docs'), { recursive: true });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'a');
  const [side, inside] = [join(base, 'zurich-v1'), join(shop, '.claude/worktrees/noble-hare')];
  git('worktree', 'add', '-q', side, '-b', 'b1');
  git('worktree', 'add', '-q', inside, '-b', 'b2');
  return { base, shop, side, inside };
}

describe('the place of a session', () => {
  it('is the main checkout for a linked worktree, beside it and in it, and below both', () => {
    const { base, shop, side, inside } = repository();
    mkdirSync(join(side, 'docs'));
    expect(placeOf(shop)).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(side)).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(inside)).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(join(side, 'docs'))).toEqual({ directory: join(shop, 'docs'), room: 'docs' });
    expect(placeOf(base).directory).toBe(base);
  });

  it('stays when the worktree is removed', () => {
    const { shop, side, inside } = repository();
    for (const gone of [side, inside]) rmSync(gone, { recursive: true });
    expect(placeOf(inside).directory).toBe(shop);
    expect(placeOf(side, { directory: shop })).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(side)).toEqual({ directory: side, room: 'zurich-v1' });
    expect(placeOf('/nowhere/x', { directory: '/nowhere/y' }).directory).toBe('/nowhere/x');
    expect(placeOf(undefined)).toEqual({ directory: undefined, room: 'general' });
  });
});

it('documents of a worktree are those of its project', async () => {
  const { base, shop, side } = repository();
  mkdirSync(join(side, 'docs'));
  expect(await findProjectRoot(side, base)).toEqual({ root: shop, folder: undefined });
  expect(await findProjectRoot(join(side, 'docs'), base)).toEqual({ root: shop, folder: 'docs' });
  // Not in the main checkout: the worktree itself.
  mkdirSync(join(side, 'new'));
  expect(await findProjectRoot(join(side, 'new'), base)).toEqual({ root: side, folder: 'new' });
});
