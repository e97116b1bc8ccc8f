import { isAbsolute } from 'node:path';
import { locate } from '../../platform/checkout.js';
import { roomOf } from './slug.js';

/** Claude Code makes the worktrees of its sub-agents here, and removes them. */
const MADE_BY_AGENTS = /^(.+)\/\.claude\/worktrees\/[^/]+(?=\/|$)/;

export interface KnownPlace {
  directory?: string | null | undefined;
}

/**
 * The folder and room of a session. A session in a linked worktree of git belongs to the project of the main checkout: its
 * folder is the same folder there. When the worktree is removed, git does not know it any more; then the staged or filed folder counts.
 *
 * @param directory where the session ran; as it is named on the machine that it ran on
 * @param known the source as it was staged or filed before
 */
export function placeOf(
  directory: string | undefined,
  known?: KnownPlace,
): { directory: string | undefined; room: string } {
  // A session may have no folder or a relative one, which must not be resolved against the folder of this process.
  const isNamed = directory !== undefined && isAbsolute(directory);
  const folder = isNamed ? inMainCheckout(directory, known?.directory ?? undefined) : directory;
  return { directory: folder, room: roomOf(folder ?? '') };
}

function inMainCheckout(directory: string, known: string | undefined): string {
  const location = locate(directory);
  const { worktree } = location ?? {};
  if (worktree !== undefined) return worktree.main + (location?.folder.slice(worktree.root.length) ?? '');
  if (location !== undefined) return directory;
  const named = directory.replace(MADE_BY_AGENTS, '$1');
  return named === directory && known !== undefined && locate(known) !== undefined ? known : named;
}
