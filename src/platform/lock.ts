import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, UserError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { number, object, type Shaped, shaped, string } from '../core/shape.js';
import { makeFolder } from './make-folder.js';
import { textOrEmpty } from './read-text.js';
import { Database, isSqliteError } from './sqlite.js';

const holderShape = object({
  pid: number,
  command: string,
  /** ISO 8601. */
  since: string,
});
export type LockHolder = Shaped<typeof holderShape>;

export interface Lock {
  release(): void;
}

/** In the palace's folder. Held by a command that files, rebuilds or replaces. */
export const RUN_LOCK = 'run.lock';
/** In the palace's folder. Held for the life of a broker. */
export const BROKER_LOCK = 'broker.lock';

const POLL_MS = 100;

/**
 * Takes an exclusive lock that the kernel frees when the process dies, even by SIGKILL: an open write transaction on a
 * small lock database. A file next to it names the holder, for the error message of others.
 *
 * @param file the lock database, made when absent (folder 0700, file 0600)
 * @throws UserError `locked`, naming the holder; `failed` when the folder cannot be written
 */
export async function takeLock(
  file: string,
  command: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Lock> {
  const holderFile = `${file}.holder`;
  const database = usable(file, () => {
    makeFolder(dirname(file));
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    return new Database(file, { timeout: 0 });
  });
  // Not the clock, which may be set back.
  const deadline = performance.now() + waitMs;
  try {
    while (usable(file, () => isBusy(() => database.exec('BEGIN EXCLUSIVE')))) {
      if (performance.now() >= deadline) throw lockedError(readHolder(holderFile));
      await sleep(Math.min(POLL_MS, Math.max(1, deadline - performance.now())), undefined, { signal });
    }
    const holder: LockHolder = { pid: process.pid, command, since: new Date().toISOString() };
    usable(file, () => writeFileSync(holderFile, JSON.stringify(holder), { mode: 0o600 }));
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    release() {
      if (!database.open) return;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

/**
 * The holder of a lock, without taking it or making a file; undefined when it is free. The holder's file survives a killed
 * process, so the lock itself is checked, too.
 *
 * @throws UserError `failed` when it cannot be read
 */
export function lockHolder(file: string): LockHolder | undefined {
  const holder = readHolder(`${file}.holder`);
  if (holder === undefined || !existsSync(file)) return undefined;
  return usable(file, () => isLocked(file)) ? holder : undefined;
}

function isLocked(file: string): boolean {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    return isBusy(() => database.pragma('schema_version'));
  } finally {
    database.close();
  }
}

/** Whether a step fails because another connection has the lock. */
function isBusy(step: () => void): boolean {
  try {
    step();
    return false;
  } catch (error) {
    if (isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  }
}

/** Runs a step of locking; errors of the system and of SQLite get the file's name. */
function usable<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new UserError('failed', `cannot use the lock ${file}: ${messageOf(error)}`, {
      hint: 'check that its folder is yours and writable, and that the disk is not full',
      cause: error,
    });
  }
}

function readHolder(file: string): LockHolder | undefined {
  return shaped(holderShape, parseJson(textOrEmpty(file)));
}

function lockedError(holder: LockHolder | undefined): UserError {
  const who = holder ? `${holder.command} (process ${holder.pid}, since ${holder.since})` : 'another process';
  return new UserError('locked', `locked by ${who}`, {
    hint: 'wait for it to end, or give --wait a longer time, such as --wait 10m',
  });
}
