import { line } from '../core/outside.js';
import { checkoutAround, locate } from '../platform/checkout.js';
import { homeFolder } from '../platform/folders.js';
import type { Found, Input } from '../service/contract/index.js';

/** How far a search looks: only in the user's project, or everywhere without a preference for it. */
export const SCOPES = ['here', 'everywhere'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where the user works, for a search that takes it into account. The folders are of this machine. */
export function aroundOf(folders: readonly string[], scope: Scope | undefined): Input<'find'>['around'] {
  const locations = scope === 'everywhere' ? [] : folders.flatMap((folder) => locate(folder) ?? []);
  return { scope, folders: [...folders], locations };
}

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

/** The remark on a search that prefers a project. @param cure how to search everything alike */
export function preferenceNote({ preferred }: Pick<Found, 'preferred'>, cure: string): string[] {
  return preferred.length === 0
    ? []
    : [`preferring this project (${preferred.map(line).join(', ')}); ${cure}`];
}
