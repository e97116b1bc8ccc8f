import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fnv1a } from '../core/hash.js';
import { replaceFile } from '../platform/atomic-write.js';
import { filesIn } from '../platform/files-in.js';
import { hooksFolder } from './queue.js';
import { jsonIn } from './sessions.js';

/**
 * Sessions whose agent has stopped, in programs that may not report the end. One that nothing follows for this time has ended,
 * milliseconds.
 */
const QUIET_MS = 30 * 60_000;

const folderOf = (palace: string): string => join(hooksFolder(palace), 'resting');
const fileOf = (palace: string, key: string): string => join(folderOf(palace), `${fnv1a(key)}.json`);

/** Notes that a session rests from now. @param key of its source @throws the file system's error */
export function rest(palace: string, key: string): void {
  replaceFile(fileOf(palace, key), `${JSON.stringify(key)}\n`);
}

/** A session has ended, or its end is dealt with. */
export function restNoMore(palace: string, key: string): void {
  rmSync(fileOf(palace, key), { force: true });
}

/** Keys of sessions that have rested long enough to have ended. */
export function rested(palace: string, nowMs: number): string[] {
  return filesIn(folderOf(palace)).flatMap((name) => {
    const file = join(folderOf(palace), name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined || stat.mtimeMs > nowMs - QUIET_MS) return [];
    const key = jsonIn(file);
    if (typeof key === 'string') return key;
    rmSync(file, { force: true });
    return [];
  });
}
