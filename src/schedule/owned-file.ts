import { existsSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { replaceFile } from '../platform/atomic-write.js';
import { MARK } from './templates.js';
import type { Step } from './types.js';

/** In files of earlier versions that were copied by hand. */
const OLDER_MARK = 'in the memory palace';

/** Creates or replaces a file, unless it belongs to another program. */
export function putFile(path: string, content: string, dryRun: boolean): Step {
  const there = textOf(path);
  if (there === content) return { what: path, done: 'unchanged' };
  if (there !== undefined && !isOurs(there))
    return { what: path, done: 'skipped', why: 'it belongs to another program', problem: true };
  if (!dryRun) {
    // Replaces a link, not its target.
    if (there !== undefined && lstatSync(path).isSymbolicLink()) rmSync(path);
    replaceFile(path, content);
  }
  return { what: path, done: there === undefined ? 'written' : 'replaced' };
}

export function takeFile(path: string, dryRun: boolean): Step {
  const there = textOf(path);
  if (there === undefined) return { what: path, done: 'absent' };
  if (!isOurs(there))
    return { what: path, done: 'skipped', why: 'it belongs to another program', problem: true };
  if (!dryRun) rmSync(path);
  return { what: path, done: 'removed' };
}

/** Date of a file of the toolkit, ISO 8601; null without one. */
export function writtenAt(path: string): string | null {
  const there = textOf(path);
  return there !== undefined && isOurs(there) ? statSync(path).mtime.toISOString() : null;
}

function isOurs(text: string): boolean {
  return text.includes(MARK) || (text.includes(OLDER_MARK) && text.includes('mempalace-session'));
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
