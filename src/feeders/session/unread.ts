import type { Skipped } from '../../core/contract.js';
import type { StagedEntry } from '../staging/staging.js';
import { readFingerprint } from './fingerprint.js';
import { PART_LIMIT_BYTES } from './history.js';
import { NEWER, originOf, UNKNOWN_FORM, type WorkItem } from './options.js';

const NAMED_AT_MOST = 20;

type Rows = readonly string[] | number;

interface Unread {
  unparsed: Rows;
  oversized: Rows;
  /** Number of messages. */
  unrecognised: number;
  /** Number of parts (messages) by unknown type (role). */
  unknown: ReadonlyMap<string, number>;
}

/** What was missing when a staged transcript was made. */
export function unreadBefore(entry: StagedEntry): Unread {
  const { oversized = 0, unrecognised = 0 } = readFingerprint(entry.fingerprint) ?? {};
  return { unparsed: entry.unparsedRows ?? 0, oversized, unrecognised, unknown: new Map() };
}

/** The skips of a session for what its transcript lacks. Every run reports them, also if the session is unchanged. */
export function unreadIn({ session }: WorkItem, unread: Unread): Skipped[] {
  const origin = originOf(session.row.id);
  const unknown = [...unread.unknown].sort();
  const problems = [
    { reason: 'rows that do not parse', detail: shortList(unread.unparsed) },
    { reason: `parts over ${PART_LIMIT_BYTES / 1024 / 1024} MB`, detail: shortList(unread.oversized) },
    { reason: UNKNOWN_FORM, detail: unread.unrecognised > 0 && `${unread.unrecognised} of them; ${NEWER}` },
  ];
  return [
    ...unknown.map(([what, count]) => ({ origin, reason: `unknown ${what}`, detail: `${count} of them` })),
    ...problems.flatMap(({ reason, detail }) => (detail ? [{ origin, reason, detail, problem: true }] : [])),
  ];
}

function shortList(rows: Rows): string {
  if (typeof rows === 'number') return rows > 0 ? `${rows}, named when it was transcribed` : '';
  const rest = rows.length - NAMED_AT_MOST;
  const named = rows.slice(0, NAMED_AT_MOST).join('; ');
  return rest > 0 ? `${named}; and ${rest} more` : named;
}
