import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno, UserError } from '../../core/errors.js';
import { pause } from '../../platform/pause.js';
import type { Database } from '../../platform/sqlite.js';
import { foreignEntries, LAST } from '../../platform/writer-files.js';
import { networkFileSystem } from './file-system.js';
import { palaceFile } from './palace-file.js';
import { inMemory, MOST_BYTES, WAL, WRITE_VERSION_AT } from './unwritable.js';
import { withLogged } from './write-ahead-log.js';

const ATTEMPTS = 40;
const PAUSE_MS = 50;

/**
 * Reads a palace that another kernel writes, into memory. With SQLite, a reader here would take part in the shared memory of
 * the WAL, which two kernels do not have in common, and so destroy what the other one writes.
 *
 * @returns undefined where SQLite can open the file
 * @throws UserError `unreadable` when the file is too large; `locked` when it does not stay the same for a moment
 */
export function readShared(file: string): Database | undefined {
  if (!existsSync(file) || !isShared(file, foreignEntries(dirname(file)))) return undefined;
  if (statSync(file).size > MOST_BYTES)
    throw new UserError('unreadable', `another machine writes ${file}, which is too large for memory`, {
      hint: 'use the palace of that machine: MEMPALACE_BROKER=ssh://<host> (docs/remote.md)',
    });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const bytes = oneState(file);
    if (bytes !== undefined) return inMemory(bytes);
    pause(PAUSE_MS);
  }
  throw new UserError('locked', `another machine is writing ${file}`, { hint: 'run the command again' });
}

/** Changes when an open palace must be opened again: another file has replaced it, or another kernel writes it. */
export function readingState(folder: string): string {
  const file = palaceFile(folder);
  const { dev, ino } = statSync(file);
  const foreign = foreignEntries(folder);
  const state: unknown[] = [dev, ino, ...foreign];
  if (isShared(file, foreign))
    for (const path of [file, `${file}-wal`]) {
      const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
      state.push(mtimeMs, size);
    }
  return state.join(' ');
}

/** @param foreign files of writers of other kernels */
function isShared(file: string, foreign: readonly string[]): boolean {
  if (foreign.some((name) => !name.startsWith(LAST))) return true;
  // A palace that this machine writes has no WAL there.
  return networkFileSystem(dirname(file)) !== undefined && versionOf(file) === WAL;
}

function versionOf(file: string): number | undefined {
  const header = Buffer.alloc(WRITE_VERSION_AT + 1);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  return header[WRITE_VERSION_AT];
}

/**
 * The file and its WAL at one moment. Times of the file system are no sign of a change, as a shared folder answers from a
 * cache: the file is read twice.
 *
 * @returns undefined if it changes meanwhile
 */
function oneState(file: string): Buffer | undefined {
  if (isWithinWrite(file)) return undefined;
  const before = readFileSync(file);
  const log = before[WRITE_VERSION_AT] === WAL ? bytesIfAny(`${file}-wal`) : undefined;
  if (!readFileSync(file).equals(before) || isWithinWrite(file)) return undefined;
  return log === undefined ? before : withLogged(before, log);
}

/** A shared folder may list a file for a while after it was removed. */
function bytesIfAny(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Whether a write with a rollback journal has begun. */
function isWithinWrite(file: string): boolean {
  return (statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
