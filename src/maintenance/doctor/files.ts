import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { modeFault, octal, PRIVATE_FILE, PRIVATE_FOLDER } from '../../core/modes.js';
import { freeBytes, nearestFolder } from '../../platform/disk-space.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { palaceFile } from '../../store/db/palace-file.js';
import { type DoctorContext, type Found, fail, ok, warn } from './context.js';

/** Parent of the default palace; a parent folder with another name does not belong to this program. */
const OWN_FOLDER = '.mempalace';
const STAGING = ['mempalace-docs', 'mempalace-session', 'mempalace-import'];

/** Owner and mode of the palace, of SQLite's files next to it, and of the folders of staged files. */
export function checkPermissions({ palace, folders }: DoctorContext): Found[] {
  const file = palaceFile(palace);
  const above = dirname(palace);
  const kept = [...(basename(above) === OWN_FOLDER ? [above] : []), palace, join(palace, 'backups')];
  const roots = STAGING.map((name) => join(folders.cache, name));
  let looked = 0;
  const judge = (paths: readonly string[]) =>
    paths.flatMap((path) => {
      const stat = statOf(path);
      if (stat === undefined) return [];
      looked += 1;
      return modeFinding(path, stat) ?? [];
    });
  const own = judge([file]);
  // They have the mode of the palace's file.
  const companions = own.length > 0 ? [] : judge([`${file}-wal`, `${file}-shm`]);
  const staged = judge(roots.flatMap((root) => [root, ...foldersIn(root)]));
  const findings = [...judge(kept), ...own, ...companions, ...staged];
  if (findings.length > 0 || looked === 0) return findings;
  return [ok(`palace and staged files are yours alone (${looked} folders and files)`)];
}

export function modeFinding(
  path: string,
  stat: Pick<Stats, 'mode' | 'uid'> & { isDirectory(): boolean },
  user = process.getuid?.(),
): Found | undefined {
  const fault = modeFault(stat, user);
  if (fault === undefined) return undefined;
  if (fault === 'belongs-to-another') {
    const detail = `${path} belongs to user ${stat.uid}, not to you (${user})`;
    return warn(detail, `sudo chown -R "$USER" ${shellQuoted(path)}, or run as its owner`);
  }
  const shown = `${path} (mode ${octal(stat.mode)})`;
  const wanted = stat.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE;
  const chmod = `chmod ${wanted.toString(8)} ${shellQuoted(path)}`;
  return fault === 'others-may-write'
    ? fail(`others may write ${shown}`, chmod)
    : warn(`others may read ${shown}`, chmod);
}

/** The wings; other staged files are inside them. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // The check of the palace reports it.
    return undefined;
  }
}

/** Which run has the run lock; a run is not a problem. */
export async function checkLock(context: DoctorContext): Promise<Found[]> {
  const { lockHolder, RUN_LOCK } = await import('../../platform/lock.js');
  context.holder = lockHolder(join(context.palace, RUN_LOCK));
  if (context.holder === undefined) return [ok('it is free')];
  const { command, pid, since } = context.holder;
  return [ok(`held by ${command} (process ${pid}, since ${since})`)];
}

const LEAST_FREE = 1_000_000_000;
/** In bytes. A run empties the WAL when it ends; before, it may grow to a few waves of texts with their vectors. */
const LARGE_LOG = 64_000_000;

/** The write-ahead log, and the free space of palace and cache. */
export function checkDisk(context: DoctorContext): Found[] {
  const { palace, folders, palaceBytes } = context;
  const findings = walFinding(palace, palaceBytes, context.holder !== undefined);
  const seen = new Set<number>();
  for (const [label, folder, wanted] of [
    // A repair or a change of models writes the same amount again.
    ['disk of the palace', palace, Math.max(LEAST_FREE, palaceBytes)],
    ['disk of the cache', folders.cache, LEAST_FREE],
  ] as const) {
    const place = nearestFolder(folder);
    const { dev } = statSync(place);
    if (!seen.has(dev)) findings.push(spaceFinding(label, place, freeBytes(place), wanted));
    seen.add(dev);
  }
  return findings;
}

/** @param free and `wanted` in bytes */
export function spaceFinding(label: string, place: string, free: number, wanted: number): Found {
  if (free >= wanted) return ok(`${gigabytes(free)} free (${place})`, label);
  const detail = `only ${gigabytes(free)} free (${place}); repair and reembed may need ${gigabytes(wanted)}`;
  return warn(detail, 'free space on that disk', label);
}

function walFinding(palace: string, palaceBytes: number, filing: boolean): Found[] {
  const label = 'write-ahead log';
  if (palaceBytes === 0) return [];
  const bytes = statOf(`${palaceFile(palace)}-wal`)?.size ?? 0;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  if (filing) return [ok(`${size}: a run is filing`, label)];
  if (bytes < Math.max(LARGE_LOG, palaceBytes / 4)) return [ok(size, label)];
  const detail = `${size}: a run was killed, or a reader has kept it open`;
  return [warn(detail, 'the end of the next run empties it', label)];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
