import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveIntoPlace, syncFolder } from '../common/durable.js';
import { UserError } from '../common/errors.js';
import { makeFolder } from '../common/make-folder.js';
import { requireRoom } from '../common/room.js';
import {
  bytesOf,
  COMPANIONS,
  clearHalfMade,
  copyPalace,
  countSources,
  inspectPalace,
  type KeptBackup,
  keepBackup,
  keptBackups,
  overwritePalace,
  Palace,
  type PalaceFacts,
  palaceFile,
  samePageSize,
  settleCopy,
  type Tombstone,
  tombstonesIn,
} from '../store/index.js';

export interface RestoreOptions {
  /** Folder of the palace; its run lock is held. */
  palace: string;
  /** The backup, absolute. */
  file: string;
  /** Keep a backup of what is there now. */
  keep: boolean;
  onProgress?: (step: string, done: number, total: number) => void;
}

export interface RestoreResult extends PalaceFacts {
  /** What was there before; undefined where there was nothing, or nothing was to be kept. */
  before: KeptBackup | undefined;
  /** Files of a damaged palace, moved aside under these names. */
  movedAside: string[];
  /** Sources of the backup that were forgotten since, and were erased from what was restored. */
  forgotten: number;
  /** What was forgotten could not be read from the palace that lies there: the newest kept backup was asked. */
  uncertain: boolean;
}

/** What lies where the palace should be. */
type Present = 'none' | 'whole' | 'damaged';

const SCRATCH = '.mempalace-restore-';

/**
 * What a restore would find: the backup's facts, and what lies there now.
 *
 * @throws UserError as `inspectPalace` does of the backup
 */
export function planRestore(
  palace: string,
  file: string,
): { backup: PalaceFacts; present: Present; forgotten: number; uncertain: boolean } {
  const backup = inspectPalace(file);
  const present = presentState(palace);
  const { tombstones, uncertain } = forgottenHere(palace, present);
  const keys = tombstones.map(({ sourceKey }) => sourceKey);
  return { backup, present, forgotten: countSources(file, keys), uncertain };
}

/**
 * Puts a backup in the place of the palace. The work is done on a copy beside the palace; then the content changes
 * in one transaction, so that readers see the old palace or the new one, and a kill leaves one of them. A palace
 * that is damaged is moved aside, never deleted.
 *
 * @throws UserError as `inspectPalace` does of the backup; `failed` without room; `locked`
 */
export async function restorePalace(options: RestoreOptions): Promise<RestoreResult> {
  const { palace, file, onProgress = () => {} } = options;
  const live = palaceFile(palace);
  inspectPalace(file);
  if (!existsSync(palace)) makeFolder(palace);
  clearScratch(palace);
  const present = presentState(palace);
  requireRoom(
    palace,
    bytesOf(file) * 2 + (options.keep ? bytesOf(live) : 0),
    'the restore',
    'make room, or keep no backup of what is there now: --no-backup',
  );
  const { tombstones, uncertain } = forgottenHere(palace, present);
  // A damaged palace stays as a whole under another name: a second copy of it would add nothing.
  const before = options.keep && present === 'whole' ? keepBackup(palace, 'restore') : undefined;
  const scratchFolder = join(palace, `${SCRATCH}${process.pid}`);
  makeFolder(scratchFolder);
  const scratch = palaceFile(scratchFolder);
  try {
    const facts = await copyPalace(file, scratch, (done, total) => onProgress('reading', done, total));
    const { forgotten, changed } = forgetAgain(scratchFolder, facts, tombstones);
    const restored = changed ? inspectPalace(scratch) : facts;
    const movedAside =
      present === 'damaged' || (present === 'whole' && !samePageSize(scratch, live)) ? moveAside(live) : [];
    if (present === 'whole' && movedAside.length === 0)
      await overwritePalace(scratch, live, (done, total) => onProgress('writing', done, total));
    else install(scratch, live);
    return { ...restored, before, movedAside, forgotten, uncertain };
  } finally {
    clearScratch(palace);
  }
}

/** Files that `restorePalace` moved aside, the newest first. */
function damagedPalaces(palace: string): string[] {
  if (!existsSync(palace)) return [];
  return readdirSync(palace)
    .filter((name) => /^palace\.sqlite3\.damaged-\d{8}T\d{9}Z$/.test(name))
    .sort()
    .reverse()
    .map((name) => join(palace, name));
}

/** Removes what killed commands left half made. To be called under the run lock. */
function clearScratch(palace: string): void {
  clearHalfMade(palace);
  for (const name of readdirSync(palace)) {
    if (!name.startsWith(SCRATCH)) continue;
    const folder = join(palace, name);
    rmSync(folder, { recursive: true, force: true });
  }
}

function presentState(palace: string): Present {
  // A program that was killed while it made the palace leaves an empty file.
  if ((statSync(palaceFile(palace), { throwIfNoEntry: false })?.size ?? 0) === 0) return 'none';
  try {
    inspectPalace(palaceFile(palace));
    return 'whole';
  } catch (error) {
    // What a later program wrote is whole: going back to before its migration is what backups are for.
    if (error instanceof UserError && error.code === 'palace-newer') return 'whole';
    if (error instanceof UserError && error.code === 'palace-damaged') return 'damaged';
    throw error;
  }
}

/** Takes over what the present palace was told to forget, and erases it in the copy. */
function forgetAgain(
  folder: string,
  facts: PalaceFacts,
  tombstones: readonly Tombstone[],
): { forgotten: number; changed: boolean } {
  if (tombstones.length === 0) return { forgotten: 0, changed: false };
  // Brings an older copy up to date: it has no room for tombstones yet. The file it was made from keeps its schema.
  const copy = Palace.write(folder, facts.model, { backup: false });
  let forgotten: number;
  try {
    copy.forgetting.adopt(tombstones);
    forgotten = copy.forgetting.unerased().length;
    copy.eraseForgotten();
  } finally {
    copy.close();
  }
  settleCopy(palaceFile(folder));
  return { forgotten, changed: true };
}

/** Where the palace itself cannot say what was forgotten, one that was moved aside or a kept backup is asked. */
function forgottenHere(palace: string, present: Present): { tombstones: Tombstone[]; uncertain: boolean } {
  const known = present === 'none' ? undefined : tombstonesIn(palaceFile(palace));
  if (known !== undefined) return { tombstones: known, uncertain: false };
  for (const file of [...damagedPalaces(palace), ...keptBackups(palace).map((kept) => kept.file)]) {
    const kept = tombstonesIn(file);
    if (kept !== undefined) return { tombstones: kept, uncertain: present !== 'none' };
  }
  return { tombstones: [], uncertain: present !== 'none' };
}

function moveAside(live: string): string[] {
  const stamp = new Date().toISOString().replace(/[-:.]/g, '');
  const aside = `${live}.damaged-${stamp}`;
  return ['', ...COMPANIONS].flatMap((end) => {
    if (!existsSync(live + end)) return [];
    renameSync(live + end, aside + end);
    return [aside + end];
  });
}

/** A log that lies there belongs to a palace that is not there any more; SQLite would read it into the new one. */
function install(scratch: string, live: string): void {
  const stray = COMPANIONS.some((end) => existsSync(live + end));
  if (stray) moveAside(live);
  moveIntoPlace(scratch, live);
  syncFolder(dirname(live));
}
