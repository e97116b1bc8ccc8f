import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { isErrno } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { BROKER_LOCK, lockHolder, RUN_LOCK } from './lock.js';
import { isProcessAlive } from './process-alive.js';
import { textOrEmpty } from './read-text.js';

/**
 * In the palace's folder: a file per program that writes the palace. Locks do not pass between two kernels that share a
 * folder (virtual machines, network drives), but files do. A program of another kernel does not write while one of these
 * files changes every few seconds.
 */
export const WRITERS = 'writers';
/** `<kernel>-<process>-<number>`; `.alone`: no other program of this kernel may write either. */
const NAME = /^[0-9a-z]+\.[0-9a-z]+-\d+-[0-9a-z]+(?:\.alone)?$/;
/** `last-<kernel>`: the kernel that wrote last. */
export const LAST = 'last-';

/** Without a change for this long, a writer of another kernel is gone. Longer than any pause of a program that runs. */
export const STALE_MS = 30_000;
/** The same for a writer of this kernel in a container, whose processes are not seen here. */
const CONTAINER_MS = 24 * 3_600_000;

export interface WriterRecord {
  host: string;
  pid: number;
  program: string;
  /** ISO 8601. */
  since: string;
}

/** Files of other kernels: of those that may write, and of the one that wrote last. */
export function foreignEntries(folder: string): string[] {
  const entries = entriesIn(folder);
  if (entries.length === 0) return entries;
  const kernel = kernelOf(folder);
  return entries.filter((name) =>
    NAME.test(name)
      ? isForeign(folder, name, kernel) && !isOfLastBoot(folder, name)
      : name.startsWith(LAST) && name !== LAST + kernel,
  );
}

/** Whether a file was left when this machine stopped without warning, and was started again. */
export function isOfLastBoot(folder: string, name: string): boolean {
  const beginMs = Date.now() - uptime() * 1000;
  return recordOf(folder, name).host === hostname() && (changeOf(folder, name) ?? 0) < beginMs - STALE_MS;
}

/** Whether a writer of this kernel was killed. One that lives may stand still for long: the machine was suspended. */
export function isLeft(folder: string, name: string, ageMs: number): boolean {
  if (ageMs < STALE_MS) return false;
  const { host, pid } = recordOf(folder, name);
  return host === hostname() ? !isProcessAlive(pid) : ageMs > CONTAINER_MS;
}

export function namesIn(folder: string): string[] {
  return entriesIn(folder).filter((name) => NAME.test(name));
}

export function lastIn(folder: string): string[] {
  return entriesIn(folder).filter((name) => name.startsWith(LAST));
}

function entriesIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, WRITERS));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

/** When a file changed, in milliseconds, as the file system gives it, which may have another clock. */
export function changeOf(folder: string, name: string): number | undefined {
  return statSync(join(folder, WRITERS, name), { throwIfNoEntry: false })?.mtimeMs;
}

export function recordOf(folder: string, name: string): WriterRecord & { beats: number } {
  const read = Object(parseJson(textOrEmpty(join(folder, WRITERS, name))));
  const { host = 'another machine', pid = 0, program = 'a program', since = 'lately', beats = 0 } = read;
  return {
    host: String(host),
    pid: Number(pid),
    program: String(program),
    since: String(since),
    beats: Number(beats),
  };
}

/** Whether the locks of a writer do not reach here. */
export function isForeign(folder: string, name: string, kernel: string): boolean {
  if (name.startsWith(`${kernel}-`)) return false;
  // Some containers hide the identity of their kernel.
  const { pid } = recordOf(folder, name);
  const holders = [BROKER_LOCK, RUN_LOCK].map((lock) => lockHolder(join(folder, lock))?.pid);
  return pid === process.pid || !holders.includes(pid);
}

/** The same for all programs whose locks on the folder meet: those of one running kernel, on one mounted file system. */
export function kernelOf(folder: string): string {
  const { dev } = statSync(folder);
  bootId ??= bootOf(process.platform);
  const system = bootId.toLowerCase().replace(/[^0-9a-z]/g, '');
  return `${system.slice(0, 16) || '0'}.${dev.toString(36)}`;
}

let bootId: string | undefined;

function bootOf(platform: NodeJS.Platform): string {
  try {
    if (platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (platform === 'darwin')
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    // Its name is the next best.
  }
  return hostname();
}
