import { isErrno } from '../core/errors.js';

/** Whether a process with this id exists. It may belong to another user. */
export function isProcessAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
}

/** Whether `name` is this prefix and the id of a process that no longer exists: a leftover of a killed process. */
export function isOrphan(name: string, prefix: string): boolean {
  const id = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined;
  return id !== undefined && Number(id) > 0 && !isProcessAlive(Number(id));
}
