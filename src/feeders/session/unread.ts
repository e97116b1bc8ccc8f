import type { Skipped } from '../../core/contract.js';
import type { StagedEntry } from '../staging/staging.js';
import { readFingerprint } from './fingerprint.js';
import type { Notes } from './messages.js';
import { NEWER, originOf, UNKNOWN_FORM, type WorkItem } from './options.js';
import { PART_LIMIT_BYTES } from './rows.js';

const UNPARSED = 'rows that do not parse';
const OVERSIZED = `parts over ${PART_LIMIT_BYTES / 1024 / 1024} MB`;
const NAMED_AT_MOST = 20;

export function skipOf({ session }: WorkItem, reason: string, detail: string): Skipped {
  return { origin: originOf(session.row.id), reason, detail };
}

function problemOf(item: WorkItem, reason: string, detail: string): Skipped {
  return { ...skipOf(item, reason, detail), problem: true };
}

/** The skips of a session that was just transcribed: unreadable rows, and rows of unknown types. */
export function unreadOf(item: WorkItem, { unknown, unparsed, oversized, unrecognised }: Notes): Skipped[] {
  return [
    ...[...unknown].sort().map(([what, count]) => skipOf(item, `unknown ${what}`, `${count} of them`)),
    ...(unparsed.length > 0 ? [problemOf(item, UNPARSED, shortList(unparsed))] : []),
    ...(oversized.length > 0 ? [problemOf(item, OVERSIZED, shortList(oversized))] : []),
    ...unrecognisedIn(item, unrecognised),
  ];
}

/** The skips of an unchanged session: every run reports what is missing. */
export function unreadBefore(item: WorkItem, entry: StagedEntry): Skipped[] {
  const { oversized = 0, unrecognised = 0 } = readFingerprint(entry.fingerprint) ?? {};
  const unparsed = entry.unparsedRows ?? 0;
  const named = (count: number) => `${count}, named when it was transcribed`;
  return [
    ...(unparsed > 0 ? [problemOf(item, UNPARSED, named(unparsed))] : []),
    ...(oversized > 0 ? [problemOf(item, OVERSIZED, named(oversized))] : []),
    ...unrecognisedIn(item, unrecognised),
  ];
}

function unrecognisedIn(item: WorkItem, count: number): Skipped[] {
  return count > 0 ? [problemOf(item, UNKNOWN_FORM, `${count} of them; ${NEWER}`)] : [];
}

function shortList(names: readonly string[]): string {
  const rest = names.length - NAMED_AT_MOST;
  const named = names.slice(0, NAMED_AT_MOST).join('; ');
  return rest > 0 ? `${named}; and ${rest} more` : named;
}
