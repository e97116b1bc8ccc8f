import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isErrno, UserError } from '../../core/errors.js';
import type { Folders } from '../../platform/folders.js';
import { resolveLinks } from '../../platform/resolve-links.js';
import { itemsIn } from '../staging/staged-files.js';

/** An opencode history: a database file, or a `storage` folder of releases up to 1.1. */
export interface DatabaseLocation {
  /** Absolute. */
  path: string;
  kind: 'sqlite' | 'json';
  /** opencode's data folder, if it is not that of the path. */
  dataFolder?: string;
}

interface LocateOptions {
  /** `--db`, each a file or a folder; relative to the working directory. */
  db: string[];
  env: NodeJS.ProcessEnv;
  folders: Folders;
}

/**
 * Finds every existing history: those of `--db`; otherwise `OPENCODE_DB` (relative to opencode's data folder, as in
 * opencode), each folder of `OPENCODE_DATA_DIR` (comma-separated), and `$XDG_DATA_HOME/opencode`. In a folder:
 * `opencode.db`, the databases of other channels (`opencode-*.db`) and `storage/`. Each file is listed once.
 *
 * @returns the histories, and every place that was searched (for messages)
 * @throws UserError `not-found` when a `--db` does not exist or contains no history
 */
export function locateDatabases(options: LocateOptions): { found: DatabaseLocation[]; looked: string[] } {
  const looked: string[] = [];
  if (options.db.length > 0)
    return { found: distinct(options.db.flatMap((path) => explicit(resolve(path), looked))), looked };
  const found: DatabaseLocation[] = [];
  const dataFolder = join(options.folders.data, 'opencode');
  const named = options.env.OPENCODE_DB;
  if (named !== undefined && named !== '') {
    const path = isAbsolute(named) ? named : join(dataFolder, named);
    looked.push(path);
    const elsewhere = dirname(path) === dataFolder ? {} : { dataFolder };
    if (kindOf(path) === 'file') found.push({ path, kind: 'sqlite', ...elsewhere });
  }
  const folders = (options.env.OPENCODE_DATA_DIR ?? '').split(',').map((folder) => folder.trim());
  for (const folder of [...folders.filter((name) => name !== '').map((name) => resolve(name)), dataFolder]) {
    found.push(...inFolder(folder, looked));
  }
  return { found: distinct(found), looked: [...new Set(looked)] };
}

function explicit(path: string, looked: string[]): DatabaseLocation[] {
  looked.push(path);
  const kind = kindOf(path);
  // Opening an inaccessible path gives the error message.
  if (kind === 'file' || kind === 'denied') return [{ path, kind: 'sqlite' }];
  if (isStorage(path)) return [{ path, kind: 'json' }];
  const found = kind === 'none' ? [] : inFolder(path, []);
  if (found.length > 0) return found;
  const problem =
    kind === 'none'
      ? `there is no database ${path}`
      : `the folder ${path} contains neither opencode.db nor storage/`;
  const hint = 'give --db the path of opencode.db, or of its folder';
  throw new UserError('not-found', problem, { hint });
}

function inFolder(folder: string, looked: string[]): DatabaseLocation[] {
  const main = join(folder, 'opencode.db');
  const storage = join(folder, 'storage');
  looked.push(main, join(folder, 'opencode-*.db'), storage);
  const channels = itemsIn(folder)
    .map(({ name }) => name)
    .filter((name) => name.startsWith('opencode-') && name.endsWith('.db'))
    .sort();
  const files = [main, ...channels.map((name) => join(folder, name))];
  const found: DatabaseLocation[] = files
    .filter((path) => ['file', 'denied'].includes(kindOf(path)))
    .map((path) => ({ path, kind: 'sqlite' }));
  if (isStorage(storage)) found.push({ path: storage, kind: 'json' });
  return found;
}

function isStorage(folder: string): boolean {
  return kindOf(join(folder, 'session')) === 'folder' && kindOf(join(folder, 'message')) === 'folder';
}

function kindOf(path: string): 'file' | 'folder' | 'denied' | 'none' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    return isErrno(error, 'EACCES') ? 'denied' : 'none';
  }
}

/** Databases first, because they win over equal copies of a session. */
function distinct(found: DatabaseLocation[]): DatabaseLocation[] {
  const byRealPath = new Map(found.toReversed().map((location) => [realPathOf(location.path), location]));
  const all = found.filter((location) => byRealPath.get(realPathOf(location.path)) === location);
  return all.sort((a, b) => Number(a.kind === 'json') - Number(b.kind === 'json'));
}

/** The path itself if it is inaccessible. */
export function realPathOf(path: string): string {
  return resolveLinks(path) ?? path;
}
