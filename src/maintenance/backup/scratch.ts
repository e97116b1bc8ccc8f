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
 * Runs `work` with a temporary folder inside the palace's folder. Removes the folders of killed commands first. To be
 * called under the run lock.
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

/** Removes temporary copies of killed commands. To be called under the run lock. */
export function clearScratch(palace: string): void {
  clearHalfMade(palace);
  for (const name of readdirSync(palace))
    if (name.startsWith(SCRATCH)) rmSync(join(palace, name), { recursive: true, force: true });
}

/**
 * Erases forgotten sources from a copy of a palace that no other program has open. Migrates the copy first: an older
 * schema has no tombstones.
 *
 * @param folder contains the copy as its palace
 * @returns number of erased sources
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
