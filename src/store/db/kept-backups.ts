import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { moveIntoPlace } from '../../platform/atomic-write.js';
import { requireDiskSpace } from '../../platform/disk-space.js';
import { makeFolder } from '../../platform/make-folder.js';
import { isOrphan } from '../../platform/process-alive.js';
import { bytesOf, type CopyingRun, copyPalaceNow, removePalaceFile, settleRun } from './copies.js';
import { palaceFile } from './palace-file.js';

const FOLDER = 'backups';
/** As many are kept, whatever they were made before. */
const KEPT = 3;
const DAMAGED_KEPT = 1;
const NAME = /^(?<stamp>\d{8}T\d{9}Z)-before-(?<reason>[a-z]+)(?<damaged>-damaged)?\.sqlite3$/;
const TEMPORARY = '.mempalace-tmp-';

/** Before what a backup is kept. */
export type BackupReason = 'restore' | 'repair' | 'reembed' | 'migration' | 'verify';

/** A backup that a command made on its own before it changed much. */
export interface KeptBackup {
  /** Absolute. */
  file: string;
  reason: string;
  /** When it was made, epoch milliseconds. */
  takenMs: number;
  bytes: number;
  /** Copied byte for byte, since SQLite could not read all of the palace: nothing that `restore` takes. */
  damaged: boolean;
}

/**
 * Keeps a copy of the palace in `<palace>/backups` (0700, the file 0600) before something that changes much of
 * it, and lets the oldest go: the last three stay. A palace that SQLite cannot copy any more is copied byte for
 * byte, with its log; such a copy takes the place of none but the one of its kind. To be called under the run lock,
 * which keeps other runs from writing.
 *
 * @param palace folder of the palace
 * @param options.hint the way out where the disk has too little room
 * @param options.sparing a file that does not go now, however old
 * @param options.run the run that keeps it, which the copy does not show as begun and never ended
 * @returns undefined where there is no palace yet
 * @throws UserError `failed` when the disk has too little room
 */
export function keepBackup(
  palace: string,
  reason: BackupReason,
  { hint = WITHOUT, sparing, run }: { hint?: string; sparing?: string; run?: CopyingRun } = {},
): KeptBackup | undefined {
  const kept = addBackup(palace, reason, hint, run);
  if (kept !== undefined) letOldestGo(palace, [kept.file, ...(sparing === undefined ? [] : [sparing])]);
  return kept;
}

const WITHOUT = 'make room, or do without it: --no-backup';

/**
 * As `keepBackup` does, while `work` is done: unless it succeeds, the backups are those of before. What fails
 * again and again would push out every other backup.
 *
 * @param work must leave the palace as it was when it throws
 */
export function keepingBackup<T>(palace: string, reason: BackupReason, hint: string, work: () => T): T {
  const kept = addBackup(palace, reason, hint);
  try {
    const result = work();
    if (kept !== undefined) letOldestGo(palace, [kept.file]);
    return result;
  } catch (error) {
    if (kept !== undefined) removePalaceFile(kept.file);
    throw error;
  }
}

function addBackup(
  palace: string,
  reason: BackupReason,
  hint: string,
  run?: CopyingRun,
): KeptBackup | undefined {
  const live = palaceFile(palace);
  const size = bytesOf(live);
  if (size === 0) return undefined;
  const folder = join(palace, FOLDER);
  requireDiskSpace(folder, size, `a backup before the ${reason}`, hint);
  makeFolder(folder);
  chmodSync(folder, 0o700);
  clearHalfMade(palace, (name) => isOrphan(name, TEMPORARY));
  let file = freeName(folder, reason);
  const temporary = join(folder, `${TEMPORARY}${process.pid}`);
  try {
    copyPalaceNow(live, temporary);
    if (run !== undefined) settleRun(temporary, run);
  } catch (error) {
    removePalaceFile(temporary);
    if (!(error instanceof UserError) || error.code !== 'palace-damaged') throw error;
    file = file.replace(/\.sqlite3$/, '-damaged.sqlite3');
    copyAsItIs(live, temporary);
    if (existsSync(`${temporary}-wal`)) moveIntoPlace(`${temporary}-wal`, `${file}-wal`);
  }
  moveIntoPlace(temporary, file);
  return keptBackup(folder, file.slice(folder.length + 1));
}

/** The backups that are kept, the newest first. */
export function keptBackups(palace: string): KeptBackup[] {
  const folder = join(palace, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => keptBackup(folder, name) ?? [])
    .sort((a, b) => b.takenMs - a.takenMs);
}

/**
 * Removes what killed runs left half made in the folder of kept backups.
 *
 * @param which of it; all of it only under the run lock
 */
export function clearHalfMade(palace: string, which: (name: string) => boolean = () => true): void {
  const folder = join(palace, FOLDER);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(TEMPORARY) && which(name)) rmSync(join(folder, name), { force: true });
}

function keptBackup(folder: string, name: string): KeptBackup | undefined {
  const { stamp, reason, damaged } = NAME.exec(name)?.groups ?? {};
  const file = join(folder, name);
  if (stamp === undefined || reason === undefined || !lstatSync(file).isFile()) return undefined;
  const bytes = statSync(file).size;
  return { file, reason, takenMs: momentOf(stamp), bytes, damaged: damaged !== undefined };
}

function copyAsItIs(live: string, to: string): void {
  for (const end of ['', '-wal']) {
    if (!existsSync(live + end)) continue;
    copyFileSync(live + end, to + end);
    chmodSync(to + end, 0o600);
  }
}

function letOldestGo(palace: string, spared: readonly string[]): void {
  const staying = new Set(spared.filter((file) => existsSync(file)).map((file) => realpathSync(file)));
  const all = keptBackups(palace);
  for (const some of [all.filter(({ damaged }) => !damaged), all.filter(({ damaged }) => damaged)]) {
    const room = some[0]?.damaged === true ? DAMAGED_KEPT : KEPT;
    // A clock that went back gives the newest an older stamp than others have.
    const going = some.filter(({ file }) => !staying.has(realpathSync(file)));
    const held = some.length - going.length;
    for (const { file } of going.slice(Math.max(0, room - held))) removePalaceFile(file);
  }
}

/** Two of one millisecond get two stamps. */
function freeName(folder: string, reason: BackupReason): string {
  for (let at = Date.now(); ; at += 1) {
    const stamp = new Date(at).toISOString().replace(/[-:.]/g, '');
    if (!existsSync(folder) || !readdirSync(folder).some((name) => name.startsWith(stamp)))
      return join(folder, `${stamp}-before-${reason}.sqlite3`);
  }
}

function momentOf(stamp: string): number {
  return Date.parse(
    stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z'),
  );
}
