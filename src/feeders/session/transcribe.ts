import { createHash } from 'node:crypto';
import { shortTitle } from '../../core/short-names.js';
import { readsPalace, type Sanitiser, type SpokenPlace, withoutQuotes } from '../../sanitiser/index.js';
import { oneLine, titleOf } from '../staging/slug.js';
import type { Block } from './blocks.js';
import type { Message } from './messages.js';
import type { SessionRow } from './schema.js';

/** Raise it when the same rows give other bytes: every session is then transcribed again. */
export const TRANSCRIBER_VERSION = 2;

/** An answer of more than about this many characters is continued on another line, so that none is held whole. */
const LINE_CHARS = 1024 * 1024;

/** What the transcript says of its session, sanitised. */
export interface SessionHead {
  id: string;
  title: string;
  directory: string;
  version: string;
  /** Title of the session that started this one; absent when no session did. */
  parentTitle: string | undefined;
  createdMs: number;
}

/** Counted while a transcript is written. */
export interface TranscriptCounts {
  /** Redactions by kind. */
  redacted: Record<string, number>;
  /** Lines after the header. */
  lines: number;
  /** What parts say, and how messages ended. */
  blocks: number;
}

/** Sanitises what a session is called and where it was held, and counts into `counts`. */
export async function headOf(
  session: SessionRow,
  directory: string,
  parentTitle: string | undefined,
  cleaner: Cleaner,
): Promise<SessionHead> {
  return {
    id: session.id,
    title: titleOf(await cleaner.text(titleOf(session.title))),
    directory: oneLine(await cleaner.text(directory)),
    version: (await cleaner.text(oneLine(session.version ?? ''))) || 'unknown',
    // In the transcript of every sub-agent.
    parentTitle:
      parentTitle === undefined ? undefined : shortTitle(titleOf(await cleaner.text(titleOf(parentTitle)))),
    createdMs: session.time_created,
  };
}

/** The sanitiser, with what it redacted counted. */
export class Cleaner {
  readonly #sanitiser: Sanitiser;
  readonly #counts: TranscriptCounts;
  /** Names of tools and models come again and again. */
  readonly #names = new Map<string, string>();

  constructor(sanitiser: Sanitiser, counts: TranscriptCounts) {
    this.#sanitiser = sanitiser;
    this.#counts = counts;
  }

  async text(text: string, place?: SpokenPlace): Promise<string> {
    if (text === '') return text;
    const cleaned = await this.#sanitiser.clean(text, place);
    this.#add(cleaned.redacted);
    return cleaned.text;
  }

  /** What a user's turn or a tool's result says besides what it quotes of the palace. */
  unquoted(original: string, reads = false): string {
    const { text, quoted } = withoutQuotes(original, reads);
    if (quoted) this.#add({ echo: 1 });
    return text;
  }

  async name(name: string): Promise<string> {
    let cleaned = this.#names.get(name);
    if (cleaned === undefined) {
      cleaned = await this.text(name);
      this.#names.set(name, cleaned);
    }
    return cleaned;
  }

  async value(value: unknown): Promise<unknown> {
    const cleaned = await this.#sanitiser.cleanValue(value);
    this.#add(cleaned.redacted);
    return cleaned.value;
  }

  #add(redacted: Record<string, number>): void {
    for (const [kind, count] of Object.entries(redacted)) {
      this.#counts.redacted[kind] = (this.#counts.redacted[kind] ?? 0) + count;
    }
  }
}

interface TextBlock {
  type: 'text';
  text: string;
}
interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}
interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/**
 * A session as Claude Code JSONL, line by line (each with its line break), beginning with the turn that says
 * which session it is. Results of tools follow the answer that called them, in a user line of their own.
 * Depends on nothing but its arguments: the same rows give the same bytes everywhere.
 *
 * @param messages as `readMessages` gives them; loaded while this is read
 */
export async function* transcribe(
  head: SessionHead,
  messages: Iterable<Message>,
  cleaner: Cleaner,
  counts: TranscriptCounts,
): AsyncGenerator<string> {
  const writer = new LineWriter(head);
  yield writer.header();
  const callIds = new CallIds();
  for (const message of messages) {
    const turn = new Turn();
    const place = message.role === 'user' ? 'turn' : undefined;
    for (const block of message.blocks) {
      counts.blocks += 1;
      if (turn.mustEndBefore(block)) {
        yield* writer.lines(message, await modelOf(message, cleaner), turn.take());
      }
      if (block.kind === 'text')
        turn.addText(
          await cleaner.text(place === undefined ? block.text : cleaner.unquoted(block.text), place),
        );
      else turn.addTool(await toolBlocks(block, callIds, cleaner));
    }
    yield* writer.lines(message, await modelOf(message, cleaner), turn.take());
    if (!writer.hasLineOf(message)) yield writer.silentLine(message);
  }
  counts.lines = writer.count - 1;
}

async function modelOf(message: Message, cleaner: Cleaner): Promise<string | undefined> {
  const { modelID } = message.data;
  if (message.role !== 'assistant' || modelID === undefined || modelID === '') return undefined;
  return cleaner.name(modelID);
}

async function toolBlocks(
  block: Extract<Block, { kind: 'tool' }>,
  callIds: CallIds,
  cleaner: Cleaner,
): Promise<[ToolUseBlock, ToolResultBlock]> {
  const named = callIds.of(block.callId, block.partId);
  // A marker in its place would be no name: two calls could get the same.
  const id = (await cleaner.text(named)) === named ? named : callIds.of(undefined, block.partId);
  const result: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: id,
    content: await cleaner.text(
      cleaner.unquoted(block.output, !block.isError && readsPalace(block.name, block.input)),
      'result',
    ),
  };
  if (block.isError) result.is_error = true;
  return [
    { type: 'tool_use', id, name: await cleaner.name(block.name), input: await cleaner.value(block.input) },
    result,
  ];
}

/** opencode's own call ids, made unique where one is missing or comes twice: each result must find its call. */
class CallIds {
  readonly #used = new Set<string>();

  of(callId: string | undefined, partId: string): string {
    const id = callId === undefined || this.#used.has(callId) ? `${callId ?? 'call'}_${partId}` : callId;
    this.#used.add(id);
    return id;
  }
}

interface TurnContent {
  content: (TextBlock | ToolUseBlock)[];
  results: ToolResultBlock[];
}

/** What of a message has been read and not been written yet. */
class Turn {
  #content: (TextBlock | ToolUseBlock)[] = [];
  #results: ToolResultBlock[] = [];
  #chars = 0;

  /** Results come before the next words of the same message, as they did in time. */
  mustEndBefore(block: Block): boolean {
    return (block.kind === 'text' && this.#results.length > 0) || this.#chars > LINE_CHARS;
  }

  addText(text: string): void {
    if (text.trim() === '') return;
    this.#content.push({ type: 'text', text });
    this.#chars += text.length;
  }

  addTool([use, result]: [ToolUseBlock, ToolResultBlock]): void {
    this.#content.push(use);
    this.#results.push(result);
    this.#chars += result.content.length + JSON.stringify(use.input).length;
  }

  take(): TurnContent {
    const taken = { content: this.#content, results: this.#results };
    this.#content = [];
    this.#results = [];
    this.#chars = 0;
    return taken;
  }
}

class LineWriter {
  count = 0;
  readonly #head: SessionHead;
  #parent: string | null = null;
  #messageId = '';
  #lineOfMessage = 0;

  constructor(head: SessionHead) {
    this.#head = head;
  }

  header(): string {
    const { title, directory, createdMs, parentTitle } = this.#head;
    const date = new Date(createdMs).toISOString().replace(/T.*/, '');
    const parent = parentTitle === undefined ? '' : ` | subagent of ${parentTitle}`;
    const text = `[session: ${title} | ${directory} | ${date}${parent}]`;
    return this.#line('user', { role: 'user', content: [{ type: 'text', text }] }, undefined, createdMs);
  }

  *lines(message: Message, model: string | undefined, turn: TurnContent): Generator<string> {
    const { id, timeMs, role } = message;
    if (turn.content.length > 0) {
      const named = model === undefined ? {} : { model };
      yield this.#line(role, { role, ...named, content: turn.content }, id, timeMs);
    }
    if (turn.results.length > 0) {
      yield this.#line('user', { role: 'user', content: turn.results }, id, timeMs);
    }
  }

  hasLineOf({ id }: Message): boolean {
    return this.#messageId === id;
  }

  /**
   * A message of which nothing is left, because a harness had injected all of it: it is no turn, and does not count
   * as a line, but it is there. Else it would seem to be lost from a session that an earlier program filed with it.
   */
  silentLine({ id, timeMs, role }: Message): string {
    const line = this.#line(role, { role, content: [] }, id, timeMs);
    this.count -= 1;
    return line;
  }

  #line(type: 'user' | 'assistant', message: object, messageId: string | undefined, timeMs: number): string {
    const { id, directory, version } = this.#head;
    if (messageId !== this.#messageId) this.#lineOfMessage = 0;
    this.#messageId = messageId ?? '';
    const uuid = lineId(id, messageId ?? 'header', this.#lineOfMessage);
    const line = {
      parentUuid: this.#parent,
      isSidechain: false,
      userType: 'external',
      cwd: directory,
      sessionId: id,
      version,
      harness: 'opencode',
      type,
      message,
      ...(messageId === undefined ? {} : { messageId }),
      uuid,
      timestamp: new Date(timeMs).toISOString(),
    };
    this.#parent = uuid;
    this.#lineOfMessage += 1;
    this.count += 1;
    return `${JSON.stringify(line)}\n`;
  }
}

/** A UUID (of version 5's form) that a line keeps as long as its message and its place in it stay. */
function lineId(sessionId: string, messageId: string, line: number): string {
  const hex = createHash('sha256').update(`${sessionId}\n${messageId}\n${line}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
