import type { z } from 'zod';
import { parseJson } from '../../core/json.js';
import {
  type Block,
  blockKey,
  blockOf,
  closingBlocks,
  hasOwnWords,
  isSpoken,
  megabytes,
  oversizedBlock,
} from './blocks.js';
import { type History, PART_LIMIT_BYTES } from './rows.js';
import {
  type KnownPart,
  type MessageData,
  readMessage,
  readPart,
  revertData,
  type SessionRow,
} from './schema.js';

export type MessageRows = Pick<History, 'messageIds' | 'message' | 'partIds' | 'part' | 'strayPartIds'>;

/** Problems found while reading messages. */
export class Notes {
  /** Malformed rows, as `part prt_1: not JSON`. */
  readonly unparsed: string[] = [];
  /** Parts over the limit, as `prt_1: 40.2 MB`. */
  readonly oversized: string[] = [];
  /** Number of parts (messages) by unknown type (role). */
  readonly unknown = new Map<string, number>();
  /** Number of messages with words, but without a part of a known type. */
  unrecognised = 0;

  /** Number of readable rows that may contain text, and are not in the transcript. */
  get leftOut(): number {
    return [...this.unknown.values()].reduce((sum, count) => sum + count, this.oversized.length);
  }

  meet(unknown: string): void {
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
  for (const id of history.strayPartIds(session.id)) {
    notes.unparsed.push(`part ${id ?? 'without an id'}: names no message of its session`);
  }
  const replay = new ReplayFilter();
  for (const row of remainingRows(history, session, notes)) {
    if (row.data === undefined) continue;
    const { role } = row.data;
    if (role !== 'user' && role !== 'assistant') {
      notes.meet(`role ${role}`);
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
}

export interface MessageCount {
  /** Messages with text that is not injected, hidden or reverted, and messages of the assistant with a tool call. */
  messages: number;
  /** Unreadable rows, which may be messages. */
  unparsed: number;
  /** Messages whose parts or role are of an unknown form. */
  unrecognised: number;
}

/** Counts messages for `--min-messages`. Reads each message up to the first part that makes it count. */
export function countMessages(history: History, session: SessionRow): MessageCount {
  const notes = new Notes();
  let messages = 0;
  let withoutRole = 0;
  let hasUser = false;
  for (const row of remainingRows(history, session, notes)) {
    const { data } = row;
    if (data === undefined) continue;
    const isUser = data.role === 'user';
    hasUser ||= isUser;
    const said = some(parts(history, row, data, notes), ({ part }) =>
      isUser ? hasOwnWords(part) : isSpoken(part) || part?.type === 'tool',
    );
    if (said && (isUser || data.role === 'assistant')) messages += 1;
    else if (said) withoutRole += 1;
  }
  const unparsed = notes.unparsed.length + notes.oversized.length;
  // An unknown role counts only if there is no user: next to known roles, a transcript may not need it.
  return { messages, unparsed, unrecognised: notes.unrecognised + (hasUser ? 0 : withoutRole) };
}

function some<T>(items: Iterable<T>, test: (item: T) => boolean): boolean {
  for (const item of items) if (test(item)) return true;
  return false;
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
  for (const id of history.messageIds(session.id)) {
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
    const undone = revert?.messageID === id;
    const cutFrom = undone ? (revert.partID ?? undefined) : undefined;
    if (undone && cutFrom === undefined) return;
    const row = history.message(id, session.id);
    const read = row?.data == null ? undefined : readMessage(row.data);
    if (row !== undefined && row.bytes > PART_LIMIT_BYTES) {
      notes.unparsed.push(`message ${id}: ${megabytes(row.bytes)}`);
    } else if (read?.kind !== 'message') {
      notes.unparsed.push(`message ${id}: ${read?.why ?? 'not of the known form'}`);
    }
    const data = read?.kind === 'message' ? read.data : undefined;
    yield { id, timeMs: row?.time_created ?? session.time_created, data, cutFrom };
    if (undone) return;
  }
}

/** The message, or its part, from which on the session was reverted. */
function revertOf({ revert }: SessionRow): z.ZodSafeParseResult<z.infer<typeof revertData> | null> {
  return revertData.nullable().safeParse(parseJson(revert ?? 'null'));
}

function* assistantBlocks(history: MessageRows, row: Row, data: MessageData, notes: Notes): Generator<Block> {
  for (const { block } of parts(history, row, data, notes)) if (block !== undefined) yield block;
  if (row.cutFrom === undefined) yield* closingBlocks(data);
}

interface ShownPart {
  block?: Block | undefined;
  /** Undefined for a part that was too large to load. */
  part?: KnownPart;
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
    const read = part?.data == null ? undefined : readPart(part.data);
    if (read === undefined) notes.unparsed.push(`part ${id}: not of the known form`);
    else if (read.kind === 'unparsed') notes.unparsed.push(`part ${id}: ${read.why}`);
    else if (read.kind === 'unknown') {
      notes.meet(`part type ${read.type}`);
      words ||= read.words;
    } else if (read.kind === 'part') {
      known = true;
      const block = blockOf(read.part, id, message);
      yield { block: block && { ...block, partId: id }, part: read.part };
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
    const compaction = parts.map(({ part }) => part).findLast((part) => part?.type === 'compaction');
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

/** The same blocks, or undefined if there are none. */
function peeked(blocks: Generator<Block>): Iterable<Block> | undefined {
  const first = blocks.next();
  if (first.done === true) return undefined;
  return (function* () {
    yield first.value;
    yield* blocks;
  })();
}
