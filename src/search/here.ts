import { sep } from 'node:path';
import type { FiledProject } from '../core/contract.js';
import type { Location } from '../platform/checkout.js';
import type { ProjectPlace } from '../store/index.js';

/**
 * The filed projects that contain the folders, each once. If several contain a folder, the innermost one counts. A folder in
 * an unfiled worktree belongs to the project of the main checkout, and so do sessions in the worktree.
 */
export function projectsAround(
  filed: readonly FiledProject[],
  locations: readonly Location[],
): ProjectPlace[] {
  const places = new Map<string, ProjectPlace>();
  for (const { folder, worktree } of locations) {
    const found = innermost(filed, folder);
    const main = worktree && innermost(filed, worktree.main + folder.slice(worktree.root.length));
    const project = found ?? main;
    if (project === undefined) continue;
    const { id, wing, root } = project;
    const folders = new Set([...(places.get(id)?.folders ?? []), root]);
    if (found === undefined && worktree !== undefined)
      folders.add(worktree.root + (isWithin(root, worktree.main) ? root.slice(worktree.main.length) : ''));
    places.set(id, { id, wing, folders: [...folders] });
  }
  return [...places.values()];
}

function innermost(filed: readonly FiledProject[], folder: string): FiledProject | undefined {
  return filed.filter(({ root }) => isWithin(folder, root)).sort((a, b) => b.root.length - a.root.length)[0];
}

function isWithin(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep);
}
