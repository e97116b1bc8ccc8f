import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.js';
import { makeFolder } from '../platform/make-folder.js';
import { isProcessAlive } from '../platform/process-alive.js';
import { hooksFolder } from './queue.js';

/** Longer than any background run: after this, another process has that id. */
const STALE_MS = 60 * 60_000;

const ticketOf = (palace: string): string => join(hooksFolder(palace), 'runner');

/**
 * Whether this process should start the background run: true for one of several concurrent callers, and only while no
 * run is starting. This only limits the number of processes; a lock prevents two runs at once.
 *
 * @throws the file system's error
 */
export function drawTicket(palace: string): boolean {
  const file = ticketOf(palace);
  makeFolder(hooksFolder(palace));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) {
        // On a full disk the file may exist without its text.
        rmSync(file, { force: true });
        throw error;
      }
      if (isValid(file)) return false;
      rmSync(file, { force: true });
    }
  }
  return false;
}

/** Passes the ticket to the running process, or renews the caller's own. */
export function passTicket(palace: string, pid: number): void {
  writeFileSync(ticketOf(palace), `${pid}\n`, { mode: 0o600 });
}

/** Gives the ticket back: the next caller starts a run. */
export function returnTicket(palace: string): void {
  rmSync(ticketOf(palace), { force: true });
}

function isValid(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    const { mtimeMs } = statSync(file);
    // The file is empty between its creation and the write, while its creator is still running.
    if (pid === 0) return Date.now() - mtimeMs < 1_000;
    return Number.isSafeInteger(pid) && pid > 0 && Date.now() - mtimeMs < STALE_MS && isProcessAlive(pid);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
