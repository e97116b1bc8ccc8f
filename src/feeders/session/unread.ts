import type { Skipped } from '../../core/contract.js';
import type { StagedEntry } from '../staging/staging.js';
import { readFingerprint } from './fingerprint.js';
import type { Notes } from './messages.js';
import { NEWER, originOf, UNTOLD, type WorkItem } from './options.js';
import { PART_LIMIT_BYTES } from './rows.js';

/** What is said of rows and parts of a session that are not in its transcript. */

const UNPARSED = 'rows that do not parse';
const OVERSIZED = `parts over ${PART_LIMIT_BYTES / 1024 / 1024} MB`;
const NAMED_AT_MOST = 20;

export function skipOf({ session }: WorkItem, reason: string, detail: string): Skipped {
  return { origin: originOf(session.row.id), reason, detail };
}

function problemOf(item: WorkItem, reason: string, detail: string): Skipped {
  return { ...skipOf(item, reason, detail), problem: true };
}

/** Of a session that was transcribed just now: names what could not be read, and unknown things that were passed over. */
export function unreadOf(item: WorkItem, { unknown, unparsed, oversized, untold }: Notes): Skipped[] {
  return [
    ...[...unknown].sort().map(([what, count]) => skipOf(item, `unknown ${what}`, `${count} of them`)),
    ...(unparsed.length > 0 ? [problemOf(item, UNPARSED, shortList(unparsed))] : []),
    ...(oversized.length > 0 ? [problemOf(item, OVERSIZED, shortList(oversized))] : []),
    ...untoldOf(item, untold),
  ];
}

/** Of a session that was transcribed before: every run says what is missing, not only the one that wrote the transcript. */
export function unreadBefore(item: WorkItem, entry: StagedEntry): Skipped[] {
  const { oversized = 0, untold = 0 } = readFingerprint(entry.fingerprint) ?? {};
  const unparsed = entry.unparsedRows ?? 0;
  const named = (count: number) => `${count}, named when it was transcribed`;
  return [
    ...(unparsed > 0 ? [problemOf(item, UNPARSED, named(unparsed))] : []),
    ...(oversized > 0 ? [problemOf(item, OVERSIZED, named(oversized))] : []),
    ...untoldOf(item, untold),
  ];
}

function untoldOf(item: WorkItem, untold: number): Skipped[] {
  return untold > 0 ? [problemOf(item, UNTOLD, `${untold} of them; ${NEWER}`)] : [];
}

function shortList(names: readonly string[]): string {
  const rest = names.length - NAMED_AT_MOST;
  const named = names.slice(0, NAMED_AT_MOST).join('; ');
  return rest > 0 ? `${named}; and ${rest} more` : named;
}
