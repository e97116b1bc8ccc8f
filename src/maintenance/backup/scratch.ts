import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.js';
import {
  clearHalfMade,
  Palace,
  type PalaceFacts,
  palaceFile,
  settleCopy,
  type Tombstone,
} from '../../store/index.js';

const SCRATCH = '.mempalace-scratch-';

/**
 * Runs `work` with a folder of its own inside the palace's, for a copy that is worked on; it is gone afterwards. What
 * a killed command left of such is removed first. To be called under the run lock.
 */
export async function withScratch<T>(palace: string, work: (folder: string) => Promise<T>): Promise<T> {
  clearScratch(palace);
  const folder = join(palace, `${SCRATCH}${process.pid}`);
  makeFolder(folder);
  try {
    return await work(folder);
  } finally {
    clearScratch(palace);
  }
}

/** Removes what killed commands left half made: whole copies of a palace. To be called under the run lock. */
export function clearScratch(palace: string): void {
  clearHalfMade(palace);
  for (const name of readdirSync(palace))
    if (name.startsWith(SCRATCH)) rmSync(join(palace, name), { recursive: true, force: true });
}

/**
 * Erases from a copy of a palace, which nobody else has open, what is forgotten. Brings the copy to this program's
 * schema: an older one has no room for tombstones.
 *
 * @param folder that holds the copy as its palace
 * @returns sources that left
 */
export function eraseFromCopy(
  folder: string,
  { model }: PalaceFacts,
  tombstones: readonly Tombstone[],
): number {
  const copy = Palace.write(folder, model, { backup: false });
  let erased: number;
  try {
    copy.forgetting.adopt(tombstones);
    erased = copy.forgetting.unerased().length;
    copy.eraseForgotten();
  } finally {
    copy.close();
  }
  settleCopy(palaceFile(folder));
  return erased;
}
