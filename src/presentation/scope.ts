import { checkoutAround, locate } from '../platform/checkout.js';
import { homeFolder } from '../platform/folders.js';
import type { Input } from '../service/contract/index.js';

/** Where the user works, for a search. The folders are of this machine. */
export const aroundOf = (folders: readonly string[]) => ({
  folders: [...folders],
  locations: folders.flatMap((folder) => locate(folder) ?? []),
});

/** Where the user works, for a wake-up. The folders are of this machine; one that does not exist is taken as it is named. */
export function standingIn(
  folders: readonly string[],
  env: NodeJS.ProcessEnv,
): NonNullable<Input<'wakeUp'>['around']> {
  const locations = folders.map((folder) => locate(folder) ?? { folder });
  const home = homeFolder(env);
  const checkouts = locations.flatMap(({ folder, worktree }) =>
    worktree === undefined ? (checkoutAround(folder, home) ?? []) : [worktree.root, worktree.main],
  );
  return {
    folders: [...new Set([...folders, ...locations.map(({ folder }) => folder)])],
    locations,
    checkouts,
  };
}
