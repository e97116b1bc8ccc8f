import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { resolveLinks } from './resolve-links.js';

/** A folder, and the linked worktree of git that contains it, with its main checkout. Absolute real paths. */
export interface Location {
  folder: string;
  worktree?: { root: string; main: string } | undefined;
}

/** The working folder; none where it was removed. */
export function workingFolder(): string[] {
  try {
    return [process.cwd()];
  } catch {
    return [];
  }
}

/** Where a folder is; undefined for one that does not exist or is inaccessible. Starts no program. */
export function locate(path: string): Location | undefined {
  const folder = resolveLinks(path);
  return folder === undefined ? undefined : { folder, worktree: worktreeAround(folder) };
}

/**
 * The innermost checkout of git around a real folder; undefined outside of any, and for the home folder, where a checkout of
 * settings says nothing of the folders below. Starts no program.
 */
export function checkoutAround(folder: string, home: string): string | undefined {
  for (let root = folder; root !== dirname(root) && root !== home; root = dirname(root))
    if (existsSync(join(root, '.git'))) return root;
  return undefined;
}

/** In a linked worktree, `.git` is a file that names `<main>/.git/worktrees/<name>`; elsewhere it is a folder. */
function worktreeAround(folder: string): Location['worktree'] {
  for (let root = folder; root !== dirname(root); root = dirname(root)) {
    const mark = join(root, '.git');
    try {
      const found = lstatSync(mark, { throwIfNoEntry: false });
      if (found === undefined) continue;
      if (!found.isFile()) return undefined;
      const [, git = ''] = /^gitdir: (.+)$/m.exec(readFileSync(mark, 'utf8')) ?? [];
      const [, main] = /^(.+)\/\.git\/worktrees\/[^/]+$/.exec(resolve(root, git.trim())) ?? [];
      return main === undefined ? undefined : { root, main };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Folders in which a user works, and where those that exist are. */
export const aroundOf = (folders: readonly string[]) => ({
  folders: [...folders],
  locations: folders.flatMap((folder) => locate(folder) ?? []),
});
