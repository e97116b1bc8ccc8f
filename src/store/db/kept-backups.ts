import { chmodSync, copyFileSync, existsSync, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { moveIntoPlace } from '../../platform/atomic-write.js';
import { requireDiskSpace } from '../../platform/disk-space.js';
import { makeFolder } from '../../platform/make-folder.js';
import { isOrphan } from '../../platform/process-alive.js';
import { bytesOf, type CopyingRun, copyPalaceNow, removePalaceFile, settleRun } from './copies.js';
import { palaceFile } from './palace-file.js';

const FOLDER = 'backups';
const KEPT = 3;
const DAMAGED_KEPT = 1;
const NAME = /^(?<stamp>\d{8}T\d{9}Z)-before-(?<reason>[a-z]+)(?<damaged>-damaged)?\.sqlite3$/;
const TEMPORARY = '.mempalace-tmp-';

export type BackupReason = 'restore' | 'repair' | 'reembed' | 'migration' | 'verify';

/** A backup that a command made automatically before a large change. */
export interface KeptBackup {
  file: string;
  reason: string;
  /** Epoch milliseconds. */
  takenMs: number;
  bytes: number;
  /** Copied byte by byte, as SQLite could not read the whole palace; `restore` refuses it. */
  damaged: boolean;
}

/**
 * Keeps a copy of the palace in `<palace>/backups` (0700, the file 0600) before a large change, and removes the oldest:
 * the last three stay. A palace that SQLite cannot copy is copied byte by byte, with its WAL; such a copy replaces only
 * a damaged one. To be called under the run lock, so that no other run writes.
 *
 * @param options.hint for an error about disk space
 * @param options.sparing a file that is not removed now
 * @param options.run the current run, so that the copy does not show it as killed
 * @returns undefined without a palace
 * @throws UserError `failed` without disk space
 */
export function keepBackup(
  palace: string,
  reason: BackupReason,
  { hint = WITHOUT, sparing, run }: { hint?: string; sparing?: string; run?: CopyingRun } = {},
): KeptBackup | undefined {
  const kept = addBackup(palace, reason, hint, run);
  if (kept !== undefined) removeOldest(palace, [kept.file, ...(sparing === undefined ? [] : [sparing])]);
  return kept;
}

const WITHOUT = 'make room, or do without it: --no-backup';

/**
 * As `keepBackup`, around `work`. If `work` throws, the new backup is removed and no old one: a command that fails
 * repeatedly must not replace all other backups.
 *
 * @param work must leave the palace unchanged when it throws
 */
export function keepingBackup<T>(palace: string, reason: BackupReason, hint: string, work: () => T): T {
  const kept = addBackup(palace, reason, hint);
  try {
    const result = work();
    if (kept !== undefined) removeOldest(palace, [kept.file]);
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

/** Newest first. */
export function keptBackups(palace: string): KeptBackup[] {
  const folder = join(palace, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => keptBackup(folder, name) ?? [])
    .sort((a, b) => b.takenMs - a.takenMs);
}

/** Removes temporary files of killed runs from the folder of kept backups; all of them only under the run lock. */
export function clearHalfMade(palace: string, which: (name: string) => boolean = () => true): void {
  const folder = join(palace, FOLDER);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(TEMPORARY) && which(name)) rmSync(join(folder, name), { force: true });
}

function keptBackup(folder: string, name: string): KeptBackup | undefined {
  const { stamp, reason, damaged } = NAME.exec(name)?.groups ?? {};
  const file = join(folder, name);
  if (stamp === undefined || reason === undefined) return undefined;
  const stat = lstatSync(file);
  if (!stat.isFile()) return undefined;
  // `20260102T030405006Z`
  const time = stamp.replace(/(....)(..)(..T..)(..)(..)(...Z)/, '$1-$2-$3:$4:$5.$6');
  return { file, reason, takenMs: Date.parse(time), bytes: stat.size, damaged: damaged !== undefined };
}

function copyAsItIs(live: string, to: string): void {
  for (const end of ['', '-wal']) {
    if (!existsSync(live + end)) continue;
    copyFileSync(live + end, to + end);
    chmodSync(to + end, 0o600);
  }
}

function removeOldest(palace: string, spared: readonly string[]): void {
  const staying = new Set(spared.filter((file) => existsSync(file)).map((file) => realpathSync(file)));
  const all = keptBackups(palace);
  for (const some of [all.filter(({ damaged }) => !damaged), all.filter(({ damaged }) => damaged)]) {
    const room = some[0]?.damaged === true ? DAMAGED_KEPT : KEPT;
    // If the clock was set back, the newest backup has an older stamp than others.
    const others = some.filter(({ file }) => !staying.has(realpathSync(file)));
    const spare = some.length - others.length;
    for (const { file } of others.slice(Math.max(0, room - spare))) removePalaceFile(file);
  }
}

/** Two backups of one millisecond get two stamps. */
function freeName(folder: string, reason: BackupReason): string {
  for (let at = Date.now(); ; at += 1) {
    const stamp = new Date(at).toISOString().replace(/[-:.]/g, '');
    if (!readdirSync(folder).some((name) => name.startsWith(stamp)))
      return join(folder, `${stamp}-before-${reason}.sqlite3`);
  }
}
