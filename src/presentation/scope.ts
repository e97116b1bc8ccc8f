import { line } from '../core/outside.js';
import { locate } from '../platform/checkout.js';
import type { Found, Input } from '../service/contract/index.js';

/** How far a search looks: only in the user's project, or everywhere without a preference for it. */
export const SCOPES = ['here', 'everywhere'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where the user works, for a search that takes it into account. The folders are of this machine. */
export function aroundOf(folders: readonly string[], scope: Scope | undefined): Input<'find'>['around'] {
  const locations = scope === 'everywhere' ? [] : folders.flatMap((folder) => locate(folder) ?? []);
  return { scope, folders: [...folders], locations };
}

/** The remark on a search that prefers a project. @param cure how to search everything alike */
export function preferenceNote({ preferred }: Pick<Found, 'preferred'>, cure: string): string[] {
  return preferred.length === 0
    ? []
    : [`preferring this project (${preferred.map(line).join(', ')}); ${cure}`];
}
