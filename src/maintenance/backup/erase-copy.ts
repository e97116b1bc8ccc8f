import { Palace, type PalaceFacts, palaceFile, settleCopy, type Tombstone } from '../../store/index.js';

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
