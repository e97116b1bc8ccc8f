import type { StagedSource } from '../../core/contract.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { Cleaner } from '../staging/cleaner.js';
import { roomOf, transcriptName } from '../staging/slug.js';
import type { ForkDecision } from './forks.js';
import { type Message, Notes, readMessages } from './messages.js';
import { originOf, sourceKeyOf, type WorkItem } from './options.js';
import { headOf, type SessionHead, type TranscriptCounts, transcribe } from './transcribe.js';

/** The transcript of a session. `notes` and `counts` are complete when `lines` has ended. */
export interface Transcript {
  head: SessionHead;
  /** File name. */
  name: string;
  lines: AsyncGenerator<string>;
  notes: Notes;
  counts: TranscriptCounts;
}

/** Messages are read while the lines are. */
export async function transcriptOf(
  { session, directory, parentTitle }: WorkItem,
  decision: ForkDecision,
  sanitiser: Sanitiser,
): Promise<Transcript> {
  const { row, history } = session;
  const counts: TranscriptCounts = { redacted: {}, lines: 0, blocks: 0 };
  const cleaner = new Cleaner(sanitiser, counts.redacted);
  const head = await headOf(row, directory, parentTitle, cleaner);
  const notes = new Notes();
  const name = transcriptName(await cleaner.text(row.slug ?? ''), head.title, row.id);
  const messages = ownMessages(decision, readMessages(history, row, notes));
  return { head, name, lines: transcribe(head, messages, cleaner, counts), notes, counts };
}

/** A session's messages without the left-out ones at its start. */
export function* ownMessages({ covered }: ForkDecision, messages: Iterable<Message>): Generator<Message> {
  let place = 0;
  for (const message of messages) {
    if (place >= covered) yield message;
    place += 1;
  }
}

/** The facts for the miner; to be called when the lines have ended. */
export function sourceFacts(
  { session, sourceKey, wing }: WorkItem,
  decision: ForkDecision,
  { head, notes, counts }: Transcript,
  madeBy: string,
): Omit<StagedSource, 'path' | 'sourceFile' | 'bytes' | 'hash'> {
  return {
    sourceKey,
    origin: originOf(session.row.id),
    kind: 'conversation',
    wing,
    room: roomOf(head.directory),
    mtimeMs: session.change.changedMs,
    title: head.title,
    sessionId: session.row.id,
    directory: head.directory,
    madeBy,
    ...(Object.keys(counts.redacted).length > 0 ? { redacted: counts.redacted } : {}),
    ...(notes.unparsed.length > 0 ? { unparsedRows: notes.unparsed.length } : {}),
    ...(notes.leftOut > 0 ? { leftOutRows: notes.leftOut } : {}),
    ...(decision.holders.length > 0 ? { standsIn: decision.holders.map(sourceKeyOf) } : {}),
  };
}
