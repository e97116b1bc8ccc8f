import { moveIntoPlace } from '../common/durable.js';
import { type ErrorCode, UserError } from '../common/errors.js';
import {
  copyPalace,
  countSources,
  inspectPalace,
  keptBackups,
  type Palace,
  palaceFile,
  removePalaceFile,
  type SourceView,
  type Tombstone,
} from '../store/index.js';
import { eraseFromCopy } from './erase-copy.js';
import { damagedPalaces } from './restore.js';
import { clearScratch, withScratch } from './scratch.js';

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
  backups: ErasedBackup[];
  /** Damaged palaces that were moved aside: nobody can say what they hold. */
  unknown: string[];
  /** False when a reader kept the log: old pages stay in it until a later run. */
  logEmptied: boolean;
}

const CANDIDATES = 8;
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

/**
 * Erases what is meant from the palace and from its kept backups, and leaves tombstones. To be called under the run
 * lock. Done again after a kill it completes what was begun.
 *
 * @param now ISO 8601
 */
export async function forget(
  palace: Palace,
  { sources }: Meant,
  now: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ForgetResult> {
  palace.forgetting.bury(
    sources.map(({ id }) => id),
    now,
  );
  const { drawers, logEmptied } = palace.eraseForgotten(onProgress);
  clearScratch(palace.folder);
  const backups = await eraseFromBackups(palace.folder, palace.forgetting.all());
  return { drawers, backups, unknown: damagedPalaces(palace.folder), logEmptied };
}

/** How a source is known again. */
type Known = Pick<SourceView, 'sourceKey' | 'kind' | 'origin'>;

/** Kept backups that hold something of these. */
export function backupsThatHold(folder: string, these: readonly Known[]): string[] {
  return keptBackups(folder).flatMap(({ file }) => (holds(file, these) === false ? [] : [file]));
}

async function eraseFromBackups(folder: string, tombstones: readonly Tombstone[]): Promise<ErasedBackup[]> {
  const done: ErasedBackup[] = [];
  for (const file of backupsThatHold(folder, tombstones)) {
    const erased = holds(file, tombstones) === true && (await eraseFromBackup(folder, file, tombstones));
    // What cannot be read, or is a later program's, may hold it.
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
    if (error instanceof UserError && ['palace-newer', 'palace-damaged'].includes(error.code)) return false;
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
    return countSources(file, these) > 0;
  } catch (error) {
    if (error instanceof UserError && KEPT_FROM.has(error.code)) throw error;
    return undefined;
  }
}
