import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { moveIntoPlace } from '../../platform/atomic-write.js';
import { requireDiskSpace } from '../../platform/disk-space.js';
import { isOrphan } from '../../platform/process-alive.js';
import {
  bringUpToDate,
  bytesOf,
  COMPANIONS,
  copyPalace,
  inspectPalace,
  type PalaceFacts,
  palaceFile,
  removePalaceFile,
  requirePalace,
} from '../../store/index.js';

export interface BackupOptions {
  palace: string;
  /** Absolute path of a file, or of an existing folder: the file in it is then named after the current time. */
  target: string;
  force?: boolean;
  /** Migrates the palace to this program's schema after the backup, without keeping another one. */
  migrate?: boolean;
  onProgress?: (done: number, total: number) => void;
}

export interface BackupResult extends PalaceFacts {
  file: string;
  bytes: number;
}

/**
 * Copies one state of the palace to a file, while other programs may read and write it. The copy is checked before it
 * gets its name.
 *
 * @throws UserError `not-found`, `failed` (the file exists, no disk space), `palace-damaged`, `palace-newer`
 */
export async function backupPalace(options: BackupOptions): Promise<BackupResult> {
  const { palace, force = false, onProgress } = options;
  requirePalace(palace);
  const live = palaceFile(palace);
  const file = fileFor(options.target);
  refuseTarget(file, live, force);
  requireDiskSpace(dirname(file), bytesOf(live), 'the backup', 'make room there, or name another disk');
  clearKilled(dirname(file));
  const temporary = join(dirname(file), `.${basename(file)}${TEMPORARY}${process.pid}`);
  try {
    const facts = await copyPalace(live, temporary, onProgress);
    refuseTarget(file, live, force);
    moveIntoPlace(temporary, file);
    if (options.migrate === true) bringUpToDate(palace, false);
    return { file, bytes: statSync(file).size, ...facts };
  } finally {
    removePalaceFile(temporary);
  }
}

const TEMPORARY = '.mempalace-tmp-';

function clearKilled(folder: string): void {
  for (const name of readdirSync(folder)) {
    const end = /^\..+(\.mempalace-tmp-.*)$/s.exec(name)?.[1] ?? '';
    if (!isOrphan(end, TEMPORARY)) continue;
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === true && stat.uid === (process.getuid?.() ?? 0)) rmSync(path, { force: true });
  }
}

/** @throws UserError `failed` */
function refuseTarget(file: string, live: string, force: boolean): void {
  const refusal = (why: string, hint = 'name another file') =>
    new UserError('failed', `${file} ${why}`, { hint });
  if (!existsSync(dirname(file))) throw new UserError('failed', `there is no folder ${dirname(file)}`);
  const home = realpathSync(dirname(file)) === realpathSync(dirname(live));
  // Refused even if the file does not exist: SQLite would use it as its own.
  if (home && COMPANIONS.some((end) => basename(file) === basename(live) + end))
    throw refusal('is a name that SQLite uses next to the palace');
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (realpathSync(file) === realpathSync(live)) throw refusal('is the palace itself');
  if (!stat.isFile()) throw refusal('is not a file');
  if (!force) throw refusal('exists already', 'name another file, or --force');
  // With --force, only a palace is overwritten: the name may be mistyped.
  try {
    inspectPalace(file);
  } catch {
    if (stat.size > 0) throw refusal('exists, and is not a palace');
  }
}

function fileFor(target: string): string {
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() !== true) return target;
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return join(target, `mempalace-${stamp}.sqlite3`);
}
