import { chmodSync, copyFileSync, existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { moveIntoPlace } from '../common/durable.js';
import { UserError } from '../common/errors.js';
import { makeFolder } from '../common/make-folder.js';
import { requireRoom } from '../common/room.js';
import { bytesOf, copyPalaceNow, removePalaceFile } from './copies.js';
import { palaceFile } from './palace-file.js';

const FOLDER = 'backups';
/** As many are kept, whatever they were made before. */
const KEPT = 3;
const NAME = /^(?<stamp>\d{8}T\d{9}Z)-before-(?<reason>[a-z-]+)\.sqlite3$/;
const TEMPORARY = '.mempalace-tmp-';

/** Before what a backup is kept. */
export type BackupReason = 'restore' | 'repair' | 'reembed' | 'migration';

/** A backup that a command made on its own before it changed much. */
export interface KeptBackup {
  /** Absolute. */
  file: string;
  reason: string;
  /** When it was made, epoch milliseconds. */
  takenMs: number;
  bytes: number;
}

/**
 * Keeps a copy of the palace in `<palace>/backups` (0700, the file 0600) before something that changes much of
 * it, and lets the oldest go: the last three stay. A palace that SQLite cannot copy any more is copied byte for
 * byte, with its log. To be called under the run lock, which keeps other runs from writing.
 *
 * @param palace folder of the palace
 * @param hint the way out where the disk has too little room
 * @returns undefined where there is no palace yet
 * @throws UserError `failed` when the disk has too little room
 */
export function keepBackup(
  palace: string,
  reason: BackupReason,
  hint = 'make room, or do without it: --no-backup',
): KeptBackup | undefined {
  const live = palaceFile(palace);
  const size = bytesOf(live);
  if (size === 0) return undefined;
  const folder = join(palace, FOLDER);
  requireRoom(folder, size, `a backup before the ${reason}`, hint);
  makeFolder(folder);
  chmodSync(folder, 0o700);
  const file = freeName(folder, reason);
  const temporary = join(folder, `${TEMPORARY}${process.pid}`);
  try {
    copyPalaceNow(live, temporary);
  } catch (error) {
    removePalaceFile(temporary);
    if (!(error instanceof UserError) || error.code !== 'palace-damaged') throw error;
    copyAsItIs(live, temporary);
    if (existsSync(`${temporary}-wal`)) moveIntoPlace(`${temporary}-wal`, `${file}-wal`);
  }
  moveIntoPlace(temporary, file);
  letOldestGo(folder);
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

/** What a killed run left half made in the folder of kept backups. To be called under the run lock. */
export function clearHalfMade(palace: string): void {
  const folder = join(palace, FOLDER);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (name.startsWith(TEMPORARY)) rmSync(join(folder, name));
}

function keptBackup(folder: string, name: string): KeptBackup | undefined {
  const { stamp, reason } = NAME.exec(name)?.groups ?? {};
  const file = join(folder, name);
  if (stamp === undefined || reason === undefined || !lstatSync(file).isFile()) return undefined;
  return { file, reason, takenMs: momentOf(stamp), bytes: statSync(file).size };
}

function copyAsItIs(live: string, to: string): void {
  for (const end of ['', '-wal']) {
    if (!existsSync(live + end)) continue;
    copyFileSync(live + end, to + end);
    chmodSync(to + end, 0o600);
  }
}

function letOldestGo(folder: string): void {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  for (const name of names.sort().slice(0, -KEPT)) removePalaceFile(join(folder, name));
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
