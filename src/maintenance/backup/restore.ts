import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { moveIntoPlace, syncFolder } from '../../platform/atomic-write.js';
import { requireDiskSpace } from '../../platform/disk-space.js';
import { makeFolder } from '../../platform/make-folder.js';
import {
  bytesOf,
  COMPANIONS,
  copyPalace,
  countHeld,
  inspectPalace,
  type KeptBackup,
  keepBackup,
  keptBackups,
  overwritePalace,
  type PalaceFacts,
  palaceFile,
  type RunEnd,
  type RunStart,
  recordRun,
  samePageSize,
  type Tombstone,
  tombstonesIn,
} from '../../store/index.js';
import { eraseFromCopy, withScratch } from './scratch.js';

export interface RestoreOptions {
  /** Folder of the palace; its run lock is held. */
  palace: string;
  /** The backup, absolute. */
  file: string;
  /** Keep a backup of what is there now. */
  keep: boolean;
  /** What the palace is to remember of it. */
  record: (restored: { facts: PalaceFacts; forgotten: number }) => { run: RunStart; end: RunEnd };
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

/**
 * What a restore would find: the backup's facts, and what lies there now.
 *
 * @throws UserError as `inspectPalace` does of the backup
 */
export function planRestore(
  palace: string,
  file: string,
): { backup: PalaceFacts; present: Present; forgotten: number; uncertain: boolean } {
  const backup = inspectBackup(file);
  const present = presentState(palace);
  const { tombstones, uncertain } = forgottenHere(palace, present);
  return { backup, present, forgotten: countHeld(file, tombstones), uncertain };
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
  inspectBackup(file);
  if (!existsSync(palace)) makeFolder(palace);
  const present = presentState(palace);
  requireDiskSpace(
    palace,
    bytesOf(file) * 2 + (options.keep ? bytesOf(live) : 0),
    'the restore',
    'make room, or keep no backup of what is there now: --no-backup',
  );
  const { tombstones, uncertain } = forgottenHere(palace, present);
  // A damaged palace stays as a whole under another name: a second copy of it would add nothing.
  const before =
    options.keep && present === 'whole' ? keepBackup(palace, 'restore', { sparing: file }) : undefined;
  return withScratch(palace, async (folder) => {
    const scratch = palaceFile(folder);
    let facts = await copyPalace(file, scratch, (done, total) => onProgress('reading', done, total));
    const forgotten = tombstones.length === 0 ? 0 : eraseFromCopy(folder, facts, tombstones);
    if (tombstones.length > 0) facts = inspectPalace(scratch);
    const { run, end } = options.record({ facts, forgotten });
    recordRun(scratch, run, end);
    const replaces = present === 'damaged' || (present === 'whole' && !samePageSize(scratch, live));
    const movedAside = replaces ? moveAside(live) : [];
    if (present === 'whole' && !replaces)
      await overwritePalace(scratch, live, (done, total) => onProgress('writing', done, total));
    else install(scratch, live);
    return { ...facts, before, movedAside, forgotten, uncertain };
  });
}

/** What is wrong is the file that was named, not the palace, which has a cure of its own. */
function inspectBackup(file: string): PalaceFacts {
  try {
    return inspectPalace(file);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'palace-damaged') throw error;
    const hint = 'name another backup: mempalace restore --list shows those that are kept';
    throw new UserError(error.code, error.message, { hint, cause: error });
  }
}

/** Files that `restorePalace` moved aside, the newest first. */
export function damagedPalaces(palace: string): string[] {
  if (!existsSync(palace)) return [];
  return readdirSync(palace)
    .filter((name) => /^palace\.sqlite3\.damaged-\d{8}T\d{9}Z$/.test(name))
    .sort()
    .reverse()
    .map((name) => join(palace, name));
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
