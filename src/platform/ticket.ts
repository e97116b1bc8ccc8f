import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';
import { makeFolder } from './make-folder.js';
import { isProcessAlive } from './process-alive.js';

/** Longer than any background process starts or runs: after this, another process has that id. */
const STALE_MS = 60 * 60_000;

/**
 * Whether this process should start a background process: true for one of several concurrent callers, and only while none is
 * starting. This only limits the number of processes; a lock prevents two of them at once. `file` exists while a process has
 * the ticket.
 *
 * @throws the file system's error
 */
export function drawTicket(file: string): boolean {
  makeFolder(dirname(file));
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
export function passTicket(file: string, pid: number): void {
  writeFileSync(file, `${pid}\n`, { mode: 0o600 });
}

/** Gives the ticket back: the next caller starts a process. */
export function returnTicket(file: string): void {
  rmSync(file, { force: true });
}

function isValid(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // A clock that was set back since then does not make it valid for longer.
    const ageMs = Math.abs(Date.now() - statSync(file).mtimeMs);
    // The file is empty between its creation and the write, while its creator is still running.
    if (pid === 0) return ageMs < 1_000;
    return Number.isSafeInteger(pid) && pid > 0 && ageMs < STALE_MS && isProcessAlive(pid);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
