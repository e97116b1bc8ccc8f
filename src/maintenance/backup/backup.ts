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
  palaceExists,
  palaceFile,
  removePalaceFile,
} from '../../store/index.js';

export interface BackupOptions {
  /** Folder of the palace. */
  palace: string;
  /** A file, or a folder that is there: then the file in it is named after the moment. Absolute. */
  target: string;
  /** Overwrites a file that is there. */
  force?: boolean;
  /** Brings the palace to this program's schema when the backup is there, without keeping another one. */
  migrate?: boolean;
  onProgress?: (done: number, total: number) => void;
}

export interface BackupResult extends PalaceFacts {
  /** Absolute. */
  file: string;
  bytes: number;
}

/**
 * Copies the palace, as it is at one moment, to a file of its own, while others read and write it. The copy is
 * checked before it gets its name.
 *
 * @throws UserError `not-found`, `failed` (the file is there, no room), `palace-damaged`, `palace-newer`
 */
export async function backupPalace(options: BackupOptions): Promise<BackupResult> {
  const { palace, force = false, onProgress } = options;
  if (!palaceExists(palace)) throw new UserError('not-found', `there is no palace at ${palace}`);
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

/** Removes what killed backups left half made in a folder: files of this user, named as here, by a process that is gone. */
function clearKilled(folder: string): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((item) => item.isFile())) {
    const at = name.lastIndexOf(TEMPORARY);
    if (!name.startsWith('.') || at < 1 || !isOrphan(name.slice(at), TEMPORARY)) continue;
    const path = join(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? 0))
      rmSync(path, { force: true });
  }
}

/** @throws UserError `failed` */
function refuseTarget(file: string, live: string, force: boolean): void {
  if (!existsSync(dirname(file))) throw new UserError('failed', `there is no folder ${dirname(file)}`);
  const home = realpathSync(dirname(file)) === realpathSync(dirname(live));
  // There or not: SQLite would take it for its own.
  if (home && COMPANIONS.some((end) => basename(file) === basename(live) + end))
    throw new UserError('failed', `${file} is a name that SQLite uses beside the palace`, {
      hint: 'name another file',
    });
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (realpathSync(file) === realpathSync(live))
    throw new UserError('failed', `${file} is the palace itself`, { hint: 'name another file' });
  if (!stat.isFile()) throw new UserError('failed', `${file} is not a file`);
  if (!force)
    throw new UserError('failed', `${file} is there already`, { hint: 'name another file, or --force' });
  // A mistyped name overwrites no document of another kind.
  try {
    inspectPalace(file);
  } catch {
    if (stat.size > 0)
      throw new UserError('failed', `${file} exists, and is not a palace`, {
        hint: 'name another file',
      });
  }
}

function fileFor(target: string): string {
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() !== true) return target;
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return join(target, `mempalace-${stamp}.sqlite3`);
}
