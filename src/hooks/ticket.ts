import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.js';
import { makeFolder } from '../platform/make-folder.js';
import { isProcessAlive } from '../platform/process-alive.js';
import { hooksFolder } from './queue.js';

/** Longer than any background run lasts: the process of that id is another one by now. */
const STALE_MS = 60 * 60_000;

const ticketOf = (palace: string): string => join(hooksFolder(palace), 'runner');

/**
 * Asks whether this process is to start the background run: true for one of many that ask at once, and only
 * while none is on its way. It is a courtesy that keeps processes few; that two runs never work at once is the
 * business of a lock.
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
        // A full disk may have taken the file and not its text.
        rmSync(file, { force: true });
        throw error;
      }
      if (isValid(file)) return false;
      rmSync(file, { force: true });
    }
  }
  return false;
}

/** Passes the ticket on to the process that runs, or renews one's own. */
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
    // Empty for the moment between making and writing it; then its maker is at work.
    if (pid === 0) return Date.now() - mtimeMs < 1_000;
    return Number.isSafeInteger(pid) && pid > 0 && Date.now() - mtimeMs < STALE_MS && isProcessAlive(pid);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
