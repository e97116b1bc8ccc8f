import { type ErrorCode, UserError } from '../core/errors.js';
import { moveIntoPlace } from '../platform/atomic-write.js';
import {
  copyPalace,
  countMatches,
  inspectPalace,
  keptBackups,
  type Palace,
  palaceFile,
  type RunStamp,
  removePalaceFile,
  type Tombstone,
} from '../store/index.js';
import { pruneUses } from '../uses/log.js';
import { damagedPalaces } from './backup/restore.js';
import { clearScratch, eraseFromCopy, withScratch } from './backup/scratch.js';

export interface ErasedBackup {
  file: string;
  outcome: 'erased' | 'removed';
}

export interface ForgetResult {
  drawers: number;
  /** Facts that were taken from forgotten sources, or were forgotten themselves. */
  facts: number;
  backups: ErasedBackup[];
  /** Damaged palaces that were moved aside; their content is not known. */
  unknown: string[];
  /** False when a reader kept the WAL: old pages stay in it until a later run. */
  logEmptied: boolean;
}

const UNUSABLE: ReadonlySet<ErrorCode> = new Set(['palace-newer', 'palace-damaged']);
const KEPT_FROM: ReadonlySet<ErrorCode> = new Set(['unreadable', 'locked', 'failed']);

export interface ForgetOptions {
  /** ISO 8601. */
  now: string;
  /** Removes kept backups that contain the sources, and all damaged palaces, instead of erasing the sources in them. */
  removeBackups?: boolean;
  /** Erases the staged files. Called after the tombstones are written and before the palace is erased. */
  eraseStaged?: () => Promise<void>;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Erases sources from the cache, the palace and its kept backups, in this order, and leaves tombstones. To be called
 * under the run lock. After a kill, calling it again completes the work; any run does so too, except for the backups.
 *
 * @throws UserError when a backup cannot be read now but may be intact
 */
export async function forget(
  palace: Palace,
  { sources }: { sources: readonly { id: number }[] },
  { now, removeBackups = false, eraseStaged, onProgress }: ForgetOptions,
): Promise<ForgetResult> {
  palace.forgetting.addTombstones(
    sources.map(({ id }) => id),
    now,
  );
  await eraseStaged?.();
  return eraseMarked(palace, removeBackups, onProgress);
}

/**
 * Erases facts from the palace and its kept backups, and leaves tombstones of their ids, so that no import adds them
 * again. To be called under the run lock. After a kill, calling it again completes the work.
 *
 * @throws UserError as `forget` does
 */
export async function forgetFacts(
  palace: Palace,
  tripleIds: readonly string[],
  { run, removeBackups = false }: { run: RunStamp; removeBackups?: boolean },
): Promise<ForgetResult> {
  palace.forgetting.addFactTombstones(tripleIds, run.id, run.now);
  return eraseMarked(palace, removeBackups);
}

async function eraseMarked(
  palace: Palace,
  removeBackups: boolean,
  onProgress?: ForgetOptions['onProgress'],
): Promise<ForgetResult> {
  const { folder } = palace;
  const { drawers, facts, logEmptied } = palace.eraseForgotten(onProgress);
  pruneUses(folder, (ids) => palace.reading.existing(ids));
  clearScratch(folder);
  const tombstones = palace.forgetting.all();
  const backups: ErasedBackup[] = [];
  for (const { file, outcome } of planBackups(folder, tombstones, removeBackups)) {
    const erased = outcome === 'erased' && (await eraseFromBackup(folder, file, tombstones));
    if (!erased) removePalaceFile(file);
    backups.push({ file, outcome: erased ? 'erased' : 'removed' });
  }
  return { drawers, facts, backups, unknown: damagedPalaces(folder), logEmptied };
}

type Known = Pick<Tombstone, 'sourceKey' | 'kind' | 'origin'>;

/**
 * Kept backups that contain one of the sources, or may contain one, and what `forget` would do with each; then the damaged
 * palaces, if all are to be removed.
 */
export function* planBackups(
  folder: string,
  sources: readonly Known[],
  removeBackups: boolean,
): Generator<ErasedBackup> {
  for (const { file } of keptBackups(folder)) {
    const found = containsAny(file, sources);
    if (found === false) continue;
    const stays = !removeBackups && found === true && isWhole(file);
    yield { file, outcome: stays ? 'erased' : 'removed' };
  }
  if (removeBackups) for (const file of damagedPalaces(folder)) yield { file, outcome: 'removed' };
}

/** False for a damaged backup and for one of a later program: nothing can be erased from it. */
function isWhole(file: string): boolean {
  try {
    inspectPalace(file);
    return true;
  } catch (error) {
    if (error instanceof UserError && UNUSABLE.has(error.code)) return false;
    throw error;
  }
}

async function eraseFromBackup(
  folder: string,
  file: string,
  tombstones: readonly Tombstone[],
): Promise<boolean> {
  try {
    await withScratch(folder, async (scratch) => {
      const facts = await copyPalace(file, palaceFile(scratch));
      eraseFromCopy(scratch, facts, tombstones);
      moveIntoPlace(palaceFile(scratch), file);
    });
    return true;
  } catch (error) {
    if (error instanceof UserError && UNUSABLE.has(error.code)) return false;
    throw error;
  }
}

/**
 * Undefined when the file is damaged.
 *
 * @throws UserError when the file may be intact, but cannot be read now
 */
function containsAny(file: string, sources: readonly Known[]): boolean | undefined {
  try {
    return countMatches(file, sources) > 0;
  } catch (error) {
    if (error instanceof UserError && KEPT_FROM.has(error.code)) throw error;
    return undefined;
  }
}
