import { type ErrorCode, UserError } from '../core/errors.js';
import { moveIntoPlace } from '../platform/atomic-write.js';
import {
  copyPalace,
  countHeld,
  inspectPalace,
  keptBackups,
  type Palace,
  palaceFile,
  type RunStamp,
  removePalaceFile,
  type SourceView,
  type Tombstone,
} from '../store/index.js';
import { damagedPalaces } from './backup/restore.js';
import { clearScratch, eraseFromCopy, withScratch } from './backup/scratch.js';

/** How the user names what is meant; exactly one. */
export type Forgettable =
  | { by: 'source'; name: string; paths: readonly string[] }
  | { by: 'session'; session: string }
  | { by: 'wing'; wing: string }
  | { by: 'run'; run: number };

/** What is meant: filed sources, and such as are forgotten already. */
export interface Meant {
  sources: SourceView[];
  tombstones: Tombstone[];
}

/** A kept backup that held something forgotten. */
export interface ErasedBackup {
  file: string;
  outcome: 'erased' | 'removed';
}

export interface ForgetResult {
  drawers: number;
  /** That were taken from what was forgotten. */
  facts: number;
  backups: ErasedBackup[];
  /** Damaged palaces that were moved aside: nobody can say what they hold. */
  unknown: string[];
  /** False when a reader kept the log: old pages stay in it until a later run. */
  logEmptied: boolean;
}

const CANDIDATES = 8;
const UNUSABLE: ReadonlySet<ErrorCode> = new Set(['palace-newer', 'palace-damaged']);
const KEPT_FROM: ReadonlySet<ErrorCode> = new Set(['unreadable', 'locked', 'failed']);

/**
 * What the palace has, or had, of what the user names. A `source` is a source key, a `source_file`, an origin or a
 * path, or the end of a `source_file` from a slash on where only one ends so.
 *
 * @throws UserError `usage` when that end is the end of several
 */
export function findMeant(palace: Palace, what: Forgettable): Meant {
  if (what.by !== 'source') {
    return { sources: palace.forgetting.sources(what), tombstones: palace.forgetting.tombstones(what) };
  }
  const names = [what.name, ...what.paths];
  const tombstones = names.flatMap((name) => palace.forgetting.named(name));
  for (const name of names) {
    const sources = palace.reading.sourcesNamed(name);
    if (sources.length > 0) return { sources, tombstones };
  }
  const tail = what.name.replace(/^(?:\.?\/)+/, '');
  const ending =
    tail === '' || tombstones.length > 0 ? [] : palace.reading.sourcesEndingWith(tail, CANDIDATES + 1);
  if (ending.length > 1) {
    const files = ending.slice(0, CANDIDATES).map(({ sourceFile }) => sourceFile);
    throw new UserError('usage', `${JSON.stringify(what.name)} is the end of several sources' names`, {
      hint: `one of ${files.join(', ')}${ending.length > CANDIDATES ? ', …' : ''}`,
    });
  }
  return { sources: ending, tombstones };
}

export interface ForgetOptions {
  /** ISO 8601. */
  now: string;
  /** Removes kept backups that hold it, and damaged palaces that may, instead of erasing it from them. */
  removeBackups?: boolean;
  /** Erases the staged files; the marks are there then, and the palace still holds what they are of. */
  eraseStaged?: () => Promise<void>;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Erases what is meant from the cache, the palace and its kept backups, in this order, and leaves tombstones. To be
 * called under the run lock. Done again after a kill it completes what was begun; so does, but for the backups, any run.
 *
 * @throws UserError when a backup cannot be read now, though it may be a good one
 */
export async function forget(
  palace: Palace,
  { sources }: Meant,
  { now, removeBackups = false, eraseStaged, onProgress }: ForgetOptions,
): Promise<ForgetResult> {
  palace.forgetting.addTombstones(
    sources.map(({ id }) => id),
    now,
  );
  await eraseStaged?.();
  return eraseMarked(palace, { removeBackups, onProgress });
}

/**
 * Erases facts from the palace and its kept backups, and leaves tombstones of their ids, so that no import brings them
 * back. To be called under the run lock. Done again after a kill it completes what was begun.
 *
 * @throws UserError as `forget` does
 */
export async function forgetFacts(
  palace: Palace,
  tripleIds: readonly string[],
  { run, removeBackups = false }: { run: RunStamp; removeBackups?: boolean },
): Promise<ForgetResult> {
  palace.forgetting.addFactTombstones(tripleIds, run.id, run.now);
  return eraseMarked(palace, { removeBackups });
}

async function eraseMarked(
  palace: Palace,
  { removeBackups, onProgress }: { removeBackups: boolean; onProgress?: ForgetOptions['onProgress'] },
): Promise<ForgetResult> {
  const { drawers, facts, logEmptied } = palace.eraseForgotten(onProgress);
  clearScratch(palace.folder);
  const backups = await eraseFromBackups(palace.folder, palace.forgetting.all(), removeBackups);
  const damaged = damagedPalaces(palace.folder);
  if (!removeBackups) return { drawers, facts, backups, unknown: damaged, logEmptied };
  for (const file of damaged) removePalaceFile(file);
  const removed = damaged.map((file): ErasedBackup => ({ file, outcome: 'removed' }));
  return { drawers, facts, backups: [...backups, ...removed], unknown: [], logEmptied };
}

/** How a source is known again. */
type Known = Pick<SourceView, 'sourceKey' | 'kind' | 'origin'>;

/** Kept backups that hold something of these, or may, and what becomes of each. */
export function planBackups(folder: string, these: readonly Known[], removeBackups: boolean): ErasedBackup[] {
  const kept = keptBackups(folder).flatMap(({ file }): ErasedBackup[] => {
    const held = holds(file, these);
    if (held === false) return [];
    const stays = !removeBackups && held === true && isWhole(file);
    return [{ file, outcome: stays ? 'erased' : 'removed' }];
  });
  const damaged = removeBackups ? damagedPalaces(folder) : [];
  return [...kept, ...damaged.map((file): ErasedBackup => ({ file, outcome: 'removed' }))];
}

/** What cannot be read, or is a later program's, may hold it, and nothing can be erased from it. */
function isWhole(file: string): boolean {
  try {
    inspectPalace(file);
    return true;
  } catch (error) {
    if (error instanceof UserError && UNUSABLE.has(error.code)) return false;
    throw error;
  }
}

async function eraseFromBackups(
  folder: string,
  tombstones: readonly Tombstone[],
  removeBackups: boolean,
): Promise<ErasedBackup[]> {
  const done: ErasedBackup[] = [];
  for (const { file } of keptBackups(folder)) {
    const held = holds(file, tombstones);
    if (held === false) continue;
    const erased = !removeBackups && held === true && (await eraseFromBackup(folder, file, tombstones));
    if (!erased) removePalaceFile(file);
    done.push({ file, outcome: erased ? 'erased' : 'removed' });
  }
  return done;
}

async function eraseFromBackup(
  folder: string,
  file: string,
  tombstones: readonly Tombstone[],
): Promise<boolean> {
  try {
    inspectPalace(file);
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
 * Undefined when the file cannot say.
 *
 * @throws UserError when somebody else keeps it from being read: it may be a good one
 */
function holds(file: string, these: readonly Known[]): boolean | undefined {
  try {
    return countHeld(file, these) > 0;
  } catch (error) {
    if (error instanceof UserError && KEPT_FROM.has(error.code)) throw error;
    return undefined;
  }
}
