import type { Skipped, StagedSource } from '../../core/contract.js';
import type { Sanitiser, Scope } from '../../sanitiser/index.js';
import { Cleaner } from '../staging/cleaner.js';
import { type KnownPlace, placeOf } from '../staging/in-project.js';
import { transcriptName } from '../staging/slug.js';
import type { StagedEntry } from '../staging/staging.js';
import { sessionProblem } from './collect.js';
import { readFingerprint } from './fingerprint.js';
import { PART_LIMIT_BYTES } from './history.js';
import { type Message, Notes, readMessages } from './messages.js';
import { NEWER, originOf, sourceKeyOf, UNKNOWN_FORM, type WorkItem } from './options.js';
import { headOf, type TranscriptCounts, transcribe } from './transcribe.js';

export type Transcript = Awaited<ReturnType<typeof transcriptOf>>;

/**
 * Messages are read while the lines are: `notes`, `counts` and `redacted` (redactions by kind) are complete when `lines`
 * has ended. `name` is the name of the file.
 */
export async function transcriptOf(item: WorkItem, sanitiser: Sanitiser) {
  const { row } = item.session;
  const counts: TranscriptCounts = { lines: 0, blocks: 0 };
  const cleaner = new Cleaner(sanitiser);
  const head = await headOf(row, item.directory, item.parentTitle, cleaner);
  const notes = new Notes();
  const name = transcriptName(await cleaner.text(row.slug ?? ''), head.title, row.id);
  const lines = transcribe(head, ownMessages(item, notes), cleaner, counts);
  return { head, name, lines, notes, counts, redacted: cleaner.redacted };
}

export function* ownMessages({ session, decision }: WorkItem, notes: Notes): Generator<Message> {
  let place = 0;
  for (const message of readMessages(session.history, session.row, notes)) {
    if (place >= decision.covered) yield message;
    else notes.omitted.push(message.id);
    place += 1;
  }
}

/** Records of a session whose messages others contain completely. */
export function containedFacts({ session, sourceKey, decision }: WorkItem) {
  const { history, row } = session;
  const ids = history.messageList(row.id).flatMap(({ id }) => id ?? []);
  const leftOut = [...ids, ...(history.renamedIds?.() ?? [])];
  return { sourceKey, standsIn: decision.holders.map(sourceKeyOf), leftOut };
}

/** Adds the secrets of a session to the scope, unless the session cannot be read: that is reported later. */
export async function learnSession(item: WorkItem, scope: Scope, signal?: AbortSignal): Promise<void> {
  if (item.decision.contained) return;
  try {
    const { lines } = await transcriptOf(item, scope);
    for await (const _ of lines) signal?.throwIfAborted();
  } catch (error) {
    signal?.throwIfAborted();
    sessionProblem(error, item.session);
  }
}

/** The facts for the miner; to be called when the lines have ended. */
export function sourceFacts(
  { session, sourceKey, wing, decision }: WorkItem,
  { head, notes, redacted }: Transcript,
  madeBy: string,
  known?: KnownPlace,
): Omit<StagedSource, 'path' | 'sourceFile' | 'bytes' | 'hash'> {
  const leftOut = [...notes.omitted, ...(session.history.renamedIds?.() ?? [])];
  return {
    sourceKey,
    origin: originOf(session.row.id),
    kind: 'conversation',
    wing,
    ...placeOf(head.directory, known),
    mtimeMs: session.change.changedMs,
    title: head.title,
    sessionId: session.row.id,
    madeBy,
    ...(Object.keys(redacted).length > 0 ? { redacted } : {}),
    ...(notes.unparsed.length > 0 ? { unparsedRows: notes.unparsed.length } : {}),
    ...(notes.leftOut > 0 ? { leftOutRows: notes.leftOut } : {}),
    ...(session.row.parent_id ? { parentKey: sourceKeyOf(session.row.parent_id) } : {}),
    ...(decision.holders.length > 0 ? { standsIn: decision.holders.map(sourceKeyOf) } : {}),
    ...(decision.holders.length + leftOut.length > 0 ? { leftOut } : {}),
  };
}

const NAMED_AT_MOST = 20;

type Rows = readonly string[] | number;

interface Unread {
  unparsed: Rows;
  oversized: Rows;
  unrecognised: number;
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
