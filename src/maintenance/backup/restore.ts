import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { moveIntoPlace, syncFolder } from '../../platform/atomic-write.js';
import { requireDiskSpace } from '../../platform/disk-space.js';
import { makeFolder } from '../../platform/make-folder.js';
import {
  awaitWriters,
  bytesOf,
  COMPANIONS,
  copyPalace,
  countMatches,
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
  /** Folder of the palace. The caller has its run lock, and writes alone. */
  palace: string;
  file: string;
  keep: boolean;
  /** The run to record in the restored palace. */
  record: (restored: { facts: PalaceFacts; forgotten: number }) => { run: RunStart; end: RunEnd };
  onProgress?: (step: string, done: number, total: number) => void;
}

export interface RestoreResult extends PalaceFacts {
  before: KeptBackup | undefined;
  movedAside: string[];
  /** Sources of the backup that were forgotten later, and so were erased from the restored palace. */
  forgotten: number;
  /** Tombstones could not be read from the replaced palace; those of the newest readable backup were used. */
  uncertain: boolean;
}

type Present = 'none' | 'whole' | 'damaged';

/** @throws UserError as `inspectPalace` does, for the backup */
export function planRestore(
  palace: string,
  file: string,
): { backup: PalaceFacts; present: Present; forgotten: number; uncertain: boolean } {
  const backup = inspectBackup(file);
  const present = presentState(palace);
  const { tombstones, uncertain } = forgottenHere(palace, present);
  return { backup, present, forgotten: countMatches(file, tombstones), uncertain };
}

/**
 * Replaces the palace with a backup. A copy is prepared next to the palace; then the content changes in one
 * transaction, so that readers see the old palace or the new one, and a kill leaves one of them. A damaged palace is
 * moved aside, never deleted.
 *
 * @throws UserError as `inspectPalace` does, for the backup; `failed` without disk space; `locked`
 */
export async function restorePalace(options: RestoreOptions): Promise<RestoreResult> {
  const { palace, file, onProgress = () => {} } = options;
  const live = palaceFile(palace);
  inspectBackup(file);
  if (!existsSync(palace)) makeFolder(palace);
  const present = presentState(palace);
  // What they write after the backup would be in neither palace.
  if (present !== 'none') awaitWriters(live);
  requireDiskSpace(
    palace,
    bytesOf(file) * 2 + (options.keep ? bytesOf(live) : 0),
    'the restore',
    'make room, or keep no backup of the current palace: --no-backup',
  );
  const { tombstones, uncertain } = forgottenHere(palace, present);
  // A damaged palace is moved aside; a second copy of it is not needed.
  const before =
    options.keep && present === 'whole' ? keepBackup(palace, 'restore', { sparing: file }) : undefined;
  return withScratch(palace, async (folder) => {
    const scratch = palaceFile(folder);
    let facts = await copyPalace(file, scratch, (done, total) => onProgress('reading', done, total));
    const forgotten = tombstones.length === 0 ? 0 : eraseFromCopy(folder, facts, tombstones);
    if (tombstones.length > 0) facts = inspectPalace(scratch);
    const { run, end } = options.record({ facts, forgotten });
    recordRun(scratch, run, end);
    const fits = present === 'whole' && samePageSize(scratch, live);
    const movedAside = present === 'none' || fits ? [] : moveAside(live);
    if (fits) await overwritePalace(scratch, live, (done, total) => onProgress('writing', done, total));
    else install(scratch, live);
    return { ...facts, before, movedAside, forgotten, uncertain };
  });
}

/** Replaces the hint for a damaged palace: here the named backup is damaged. */
function inspectBackup(file: string): PalaceFacts {
  try {
    return inspectPalace(file);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'palace-damaged') throw error;
    const hint = 'name another backup: mempalace restore --list shows those that are kept';
    throw new UserError(error.code, error.message, { hint, cause: error });
  }
}

/** Files that `restorePalace` moved aside, newest first. */
export function damagedPalaces(palace: string): string[] {
  if (!existsSync(palace)) return [];
  return readdirSync(palace)
    .filter((name) => /^palace\.sqlite3\.damaged-\d{8}T\d{9}Z$/.test(name))
    .sort()
    .reverse()
    .map((name) => join(palace, name));
}

function presentState(palace: string): Present {
  // A program that was killed while creating the palace leaves an empty file.
  if ((statSync(palaceFile(palace), { throwIfNoEntry: false })?.size ?? 0) === 0) return 'none';
  try {
    inspectPalace(palaceFile(palace));
    return 'whole';
  } catch (error) {
    // A palace of a later program is whole: a backup may undo its migration.
    if (error instanceof UserError && error.code === 'palace-newer') return 'whole';
    if (error instanceof UserError && error.code === 'palace-damaged') return 'damaged';
    throw error;
  }
}

/** The palace's tombstones, else those of a palace that was moved aside or of a kept backup. */
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

function install(scratch: string, live: string): void {
  // A WAL that is left belongs to a removed palace; SQLite would apply it to the new one.
  if (COMPANIONS.some((end) => existsSync(live + end))) moveAside(live);
  moveIntoPlace(scratch, live);
  syncFolder(dirname(live));
}
