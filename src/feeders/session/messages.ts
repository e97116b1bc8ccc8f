import type { z } from 'zod';
import { parseJson } from '../../core/json.js';
import { plural } from '../../core/plural.js';
import {
  type Block,
  blockKey,
  blockOf,
  closingBlocks,
  counts,
  hasOwnWords,
  megabytes,
  oversizedBlock,
} from './blocks.js';
import { type History, type Judge, PART_LIMIT_BYTES, type SessionHistory, TOOL_PART } from './history.js';
import {
  type MessageData,
  partOf,
  readMessage,
  readPart,
  revertData,
  roleOf,
  type SessionRow,
} from './schema.js';

export type MessageRows = Pick<
  History,
  'messageList' | 'message' | 'partIds' | 'part' | 'strayPartIds' | 'wholeOutput'
>;

export class Notes {
  /** Malformed rows, as `part prt_1: not JSON`. */
  readonly unparsed: string[] = [];
  /** Parts over the limit, as `prt_1: 40.2 MB`. */
  readonly oversized: string[] = [];
  /** Numbers of parts and messages by unknown type or role. */
  readonly unknown = new Map<string, number>();
  /** Number of messages with words, but of an unknown role, or without a part of a known type. */
  unrecognised = 0;
  /** Ids of messages that are left out on purpose: reverted (also in part), or contained in another session. */
  readonly omitted: string[] = [];

  /** Number of readable rows that may contain text, and are not in the transcript. */
  get leftOut(): number {
    return [...this.unknown.values()].reduce((sum, count) => sum + count, this.oversized.length);
  }

  countUnknown(unknown: string): void {
    this.unknown.set(unknown, (this.unknown.get(unknown) ?? 0) + 1);
  }
}

export interface Message {
  id: string;
  timeMs: number;
  role: 'user' | 'assistant';
  data: MessageData;
  /** In order; can be read only once. */
  blocks: Iterable<Block>;
}

interface Row {
  id: string;
  timeMs: number;
  data: MessageData | undefined;
  /** Parts from this id on were reverted. */
  cutFrom: string | undefined;
}

/**
 * The messages of a session in order, without reverted and injected ones, without repetitions after an overflow, and
 * without empty ones. Parts are loaded one at a time.
 */
export function* readMessages(history: MessageRows, session: SessionRow, notes: Notes): Generator<Message> {
  if (!revertOf(session).success) {
    notes.unparsed.push('revert of the session: not of the known form');
  }
  for (const id of history.strayPartIds?.(session.id) ?? []) {
    notes.unparsed.push(`part ${id ?? 'without an id'}: names no message of its session`);
  }
  const replay = new ReplayFilter();
  let strangers = 0;
  let hasUser = false;
  for (const row of remainingRows(history, session, notes)) {
    if (row.data === undefined) continue;
    const { role } = row.data;
    hasUser ||= role === 'user';
    if (role !== 'user' && role !== 'assistant') {
      notes.countUnknown(`role ${role}`);
      if (keepsText(history, row.id, row.cutFrom, role)) strangers += 1;
      continue;
    }
    const { id, timeMs, data } = row;
    if (role === 'assistant') {
      const blocks = peeked(assistantBlocks(history, row, data, notes));
      if (blocks !== undefined) yield { id, timeMs, role, data, blocks };
    } else {
      const blocks = replay.filter([...parts(history, row, data, notes)]);
      if (blocks.length > 0) yield { id, timeMs, role, data, blocks };
    }
  }
  // Next to a user, a transcript may not need an unknown role.
  if (!hasUser) notes.unrecognised += strangers;
}

export interface MessageCount {
  /** Messages with text that is not injected, hidden or reverted, and messages of the assistant with a tool call. */
  messages: number;
  unparsed: number;
  /** Messages whose parts or role are of an unknown form. */
  unrecognised: number;
}

/** Counts messages for `--min-messages`. Of a database of opencode 1.x it loads no tool calls. */
export function countMessages(history: History, session: SessionRow): MessageCount {
  const withText = new Set<string>();
  const withWords = new Set<string>();
  const withCalls = new Set<string>();
  const withUnknown = new Set<string>();
  let unparsed = 0;
  const judge: Judge = ({ message_id: id, data }) => {
    if (id !== null && withWords.has(id)) return;
    const isCall = data?.startsWith(TOOL_PART) === true;
    const read = isCall ? undefined : readPart(data);
    if (id === null || read?.kind === 'unparsed') unparsed += 1;
    else if (read === undefined || (read.kind === 'part' && read.part.type === 'tool')) withCalls.add(id);
    else if (read.kind === 'part' && counts(read.part)) {
      withText.add(id);
      if (hasOwnWords(read.part)) withWords.add(id);
    } else if (read.kind === 'unknown' && read.words) withUnknown.add(id);
  };
  const readRoles = () =>
    history.messageList(session.id).map(({ id = '' }) => {
      for (const part of history.partIds(id))
        judge({ message_id: id, data: (part && history.part(part, id)?.data) ?? null });
      return { id, role: roleOf(history.message(id, session.id)?.data) };
    });
  const roles = history.messageRoles?.(session.id, judge) ?? readRoles();
  const undone = revertOf(session).data;
  let messages = 0;
  let unrecognised = 0;
  // The program's own notes are messages of a user without parts.
  const hasNoUser = roles.every(({ id, role }) => role !== 'user' || history.partIds(id).length === 0);
  for (const { id, role } of roles) {
    const cutFrom = undone?.messageID === id ? (undone.partID ?? '') : undefined;
    const said = role === 'user' ? withWords.has(id) : withText.has(id) || withCalls.has(id);
    const kept = said && (cutFrom === undefined || keepsText(history, id, cutFrom, role));
    const known = role === 'user' || role === 'assistant';
    if (kept && known) messages += 1;
    else if (cutFrom === undefined && role !== undefined) {
      // As `readMessages` counts them.
      const hasWords = withUnknown.has(id) || (kept && !known);
      if (hasWords && (known ? isUnrecognised(history, id) : hasNoUser)) unrecognised += 1;
    }
    if (role === undefined) unparsed += 1;
    if (cutFrom !== undefined) break;
  }
  return { messages, unparsed, unrecognised };
}

/** Sessions that are tried before a history counts as not understood. */
const MOST_TRIED = 20;

/** Says that no message of the latest sessions can be read; undefined if one can, or if there is none. */
export function unknownForm(history: SessionHistory): string | undefined {
  const { sessions } = history.sessions();
  const latest = sessions.sort((a, b) => b.time_created - a.time_created).slice(0, MOST_TRIED);
  let unread = 0;
  for (const session of latest) {
    const { messages, unparsed, unrecognised } = countMessages(history, session);
    if (messages > 0) return undefined;
    unread += unparsed + unrecognised;
  }
  return unread === 0
    ? undefined
    : `${plural(unread, 'message')} of the latest sessions, and none is of a known form`;
}

function isUnrecognised(history: MessageRows, messageId: string): boolean {
  return history.partIds(messageId).every((id) => {
    const data = id === undefined ? undefined : history.part(id, messageId)?.data;
    return typeof data === 'string' && partOf(data) === undefined;
  });
}

/** The working folder of an answer, for a session without a folder. */
export function workingFolder(history: History, session: SessionRow): string | undefined {
  for (const { data } of remainingRows(history, session, new Notes())) {
    const folder = [data?.path?.cwd, data?.path?.root].find(
      (path) => path !== undefined && path !== '' && path !== '/',
    );
    if (folder !== undefined) return folder;
  }
  return undefined;
}

/** Message rows up to the point to which the session was reverted, one at a time. */
function* remainingRows(history: MessageRows, session: SessionRow, notes: Notes): Generator<Row> {
  const revert = revertOf(session).data;
  const seen = new Set<string>();
  let isPast = false;
  for (const { id, timeMs = session.time_created } of history.messageList(session.id)) {
    if (isPast) {
      if (id !== undefined) notes.omitted.push(id);
      continue;
    }
    if (id === undefined) {
      notes.unparsed.push('message without an id');
      continue;
    }
    // Impossible in an intact database, but not in one that was repaired row by row.
    if (seen.has(id)) {
      notes.unparsed.push(`message ${id}: its id is there twice`);
      continue;
    }
    seen.add(id);
    isPast = revert?.messageID === id;
    const cutFrom = isPast ? (revert?.partID ?? undefined) : undefined;
    if (isPast) notes.omitted.push(id);
    if (isPast && cutFrom === undefined) continue;
    const row = history.message(id, session.id);
    const read = readMessage(row?.data);
    if (row !== undefined && row.bytes > PART_LIMIT_BYTES) {
      notes.unparsed.push(`message ${id}: ${megabytes(row.bytes)}`);
    } else if (read.kind !== 'message') notes.unparsed.push(`message ${id}: ${read.why}`);
    const data = read.kind === 'message' ? read.data : undefined;
    yield { id, timeMs, data, cutFrom };
  }
}

function revertOf({ revert }: SessionRow): z.ZodSafeParseResult<z.infer<typeof revertData> | null> {
  return revertData.nullable().safeParse(parseJson(revert ?? 'null'));
}

/** @param cutFrom parts from this id on were reverted */
function keepsText(
  history: MessageRows,
  messageId: string,
  cutFrom: string | undefined,
  role: string | undefined,
): boolean {
  return history.partIds(messageId).some((id) => {
    if (id === undefined || (cutFrom !== undefined && id >= cutFrom)) return false;
    const part = partOf(history.part(id, messageId)?.data);
    return part !== undefined && (counts(part) || (role === 'assistant' && part.type === 'tool'));
  });
}

function* assistantBlocks(history: MessageRows, row: Row, data: MessageData, notes: Notes): Generator<Block> {
  for (const { block } of parts(history, row, data, notes)) if (block !== undefined) yield block;
  if (row.cutFrom === undefined) yield* closingBlocks(data);
}

interface ShownPart {
  block?: Block | undefined;
  /** For a compaction part: whether the request was too long. */
  overflow?: boolean | undefined;
}

function* parts(history: MessageRows, row: Row, message: MessageData, notes: Notes): Generator<ShownPart> {
  let previous: string | undefined;
  let known = false;
  let words = false;
  for (const id of history.partIds(row.id)) {
    if (id === undefined) {
      notes.unparsed.push(`part without an id of message ${row.id}`);
      continue;
    }
    if (id === previous) {
      notes.unparsed.push(`part ${id}: its id is there twice`);
      continue;
    }
    previous = id;
    if (row.cutFrom !== undefined && id >= row.cutFrom) break;
    const part = history.part(id, row.id);
    if (part !== undefined && part.bytes > PART_LIMIT_BYTES) {
      notes.oversized.push(`${id}: ${megabytes(part.bytes)}`);
      yield { block: { ...oversizedBlock(part.bytes), partId: id } };
      continue;
    }
    const read = readPart(part?.data);
    if (read.kind === 'unparsed') notes.unparsed.push(`part ${id}: ${read.why}`);
    else if (read.kind === 'unknown') {
      notes.countUnknown(`part type ${read.type}`);
      words ||= read.words;
    } else if (read.kind === 'part') {
      known = true;
      const overflow = read.part.type === 'compaction' ? read.part.overflow === true : undefined;
      const block = blockOf(read.part, id, message, (path) => history.wholeOutput?.(path));
      yield { block: block === undefined ? undefined : { ...block, partId: id }, overflow };
    }
  }
  if (words && !known) notes.unrecognised += 1;
}

/**
 * Removes a repetition: after a request that was too long, opencode compacts the history and repeats the user's last
 * message with a new id. The first user message after such a compaction loses the blocks of the last one before it.
 */
class ReplayFilter {
  #last = new Set<string>();
  #expected = false;

  filter(parts: ShownPart[]): Block[] {
    const blocks = parts.flatMap(({ block }) => block ?? []);
    const compaction = parts.findLast(({ overflow }) => overflow !== undefined);
    if (compaction !== undefined) {
      this.#expected = compaction.overflow === true;
      return blocks;
    }
    const said = blocks.map((block) => ({ block, key: blockKey(block) }));
    const fresh = this.#expected ? said.filter(({ key }) => !this.#last.has(key)) : said;
    this.#expected = false;
    if (said.length > 0) this.#last = new Set(said.map(({ key }) => key));
    return fresh.map(({ block }) => block);
  }
}

function peeked(blocks: Generator<Block>): Iterable<Block> | undefined {
  const first = blocks.next();
  if (first.done === true) return undefined;
  return (function* () {
    yield first.value;
    yield* blocks;
  })();
}
