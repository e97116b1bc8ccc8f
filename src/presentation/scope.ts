import { locate } from '../platform/checkout.js';

/** Where the user works, for a search. The folders are of this machine. */
export const aroundOf = (folders: readonly string[]) => ({
  folders: [...folders],
  locations: folders.flatMap((folder) => locate(folder) ?? []),
});
