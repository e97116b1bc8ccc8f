import { sha256 } from '../../core/hash.js';
import { shortTitle } from '../../core/short-names.js';
import { readsPalace } from '../../sanitiser/index.js';
import type { Cleaner } from '../staging/cleaner.js';
import { oneLine, titleOf } from '../staging/slug.js';
import type { ToolBlock } from './blocks.js';
import type { Message } from './messages.js';
import type { SessionRow } from './schema.js';

/** Raise it when the same rows give other bytes: every session is transcribed again. */
export const TRANSCRIBER_VERSION = 3;

/** A longer answer is continued on another line, so that it is never in memory as a whole. */
const LINE_CHARS = 1024 * 1024;

export type SessionHead = Awaited<ReturnType<typeof headOf>>;

export interface TranscriptCounts {
  lines: number;
  blocks: number;
}

export async function headOf(
  session: SessionRow,
  directory: string,
  parentTitle: string | undefined,
  cleaner: Cleaner,
) {
  const parent = parentTitle === undefined ? undefined : await cleaner.text(titleOf(parentTitle));
  return {
    id: session.id,
    title: titleOf(await cleaner.text(titleOf(session.title))),
    directory: oneLine(await cleaner.text(directory)),
    version: (await cleaner.text(oneLine(session.version ?? ''))) || 'unknown',
    parentTitle: parent === undefined ? undefined : shortTitle(titleOf(parent)),
    createdMs: session.time_created,
  };
}

/**
 * Writes a session as Claude Code JSONL, line by line (each with its line break). The first turn is the session's header.
 * Results of tools are in a separate user line after their calls. The same rows give the same bytes everywhere.
 *
 * @param messages from `readMessages`; loaded while the lines are read
 */
export async function* transcribe(
  head: SessionHead,
  messages: Iterable<Message>,
  cleaner: Cleaner,
  counts: TranscriptCounts,
): AsyncGenerator<string> {
  const writer = new LineWriter(head);
  yield writer.header();
  const names = new Names(cleaner);
  for (const message of messages) {
    const { modelID = '' } = message.data;
    const model = message.role === 'assistant' && modelID !== '' ? modelID : undefined;
    let [content, results, chars]: [object[], object[], number] = [[], [], 0];
    const take = async function* () {
      if (content.length > 0) yield writer.line(message, content, model && (await names.clean(model)));
      if (results.length > 0) yield writer.line({ ...message, role: 'user' }, results);
      [content, results, chars] = [[], [], 0];
    };
    for (const block of message.blocks) {
      counts.blocks += 1;
      // Results precede the next words of the same message, as they did in time.
      if ((block.kind === 'text' && results.length > 0) || chars > LINE_CHARS) yield* take();
      if (block.kind === 'text') {
        const said = message.role === 'user' ? cleaner.unquoted(block.text) : block.text;
        const text = await cleaner.text(said, message.role === 'user' ? 'turn' : undefined);
        if (text.trim() === '') continue;
        content.push({ type: 'text', text });
        chars += text.length;
      } else {
        const { use, result } = await toolBlocks(block, names, cleaner);
        content.push(use);
        results.push(result);
        chars += result.content.length + JSON.stringify(use.input).length;
      }
    }
    yield* take();
    // A message that contained only injected text is written as an empty line, which does not count: otherwise the
    // message would seem to be lost.
    if (!writer.hasLineOf(message)) yield writer.line(message, []);
  }
  counts.lines = writer.count;
}

async function toolBlocks(block: ToolBlock, names: Names, cleaner: Cleaner) {
  const id = await names.callId(block);
  const said = cleaner.unquoted(block.output, !block.isError && readsPalace(block.name, block.input));
  const content = await cleaner.text(said, 'result');
  const name = await names.clean(block.name);
  const use = { type: 'tool_use', id, name, input: await cleaner.value(block.input) };
  const error = block.isError ? { is_error: true } : {};
  return { use, result: { type: 'tool_result', tool_use_id: id, content, ...error } };
}

/** Cleans repeated names of tools and models once, and makes call ids unique. */
class Names {
  readonly #cleaned = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor(private readonly cleaner: Cleaner) {}

  async clean(name: string): Promise<string> {
    const cleaned = this.#cleaned.get(name) ?? (await this.cleaner.text(name));
    this.#cleaned.set(name, cleaned);
    return cleaned;
  }

  /** opencode's own id if it is unique and not a secret. Each result must find its call. */
  async callId({ callId, partId }: { callId: string | undefined; partId: string }): Promise<string> {
    const named = this.#unique(callId, partId);
    // A redaction marker is not an id: two calls could get the same one.
    return (await this.cleaner.text(named)) === named ? named : this.#unique(undefined, partId);
  }

  #unique(callId: string | undefined, partId: string): string {
    const id = callId === undefined || this.#used.has(callId) ? `${callId ?? 'call'}_${partId}` : callId;
    this.#used.add(id);
    return id;
  }
}

class LineWriter {
  count = 0;
  #parent: string | null = null;
  #messageId = '';
  #lineOfMessage = 0;

  constructor(private readonly head: SessionHead) {}

  header(): string {
    const { title, directory, createdMs, parentTitle } = this.head;
    const text = headerLine(title, directory, createdMs, parentTitle);
    return this.line({ id: undefined, timeMs: createdMs, role: 'user' }, [{ type: 'text', text }]);
  }

  hasLineOf({ id }: Message): boolean {
    return this.#messageId === id;
  }

  line(
    { id: messageId, timeMs, role }: Pick<Message, 'timeMs' | 'role'> & { id: string | undefined },
    content: object[],
    model?: string,
  ): string {
    if (messageId !== undefined && content.length > 0) this.count += 1;
    const { id, directory, version } = this.head;
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
      type: role,
      message: { role, ...(model === undefined ? {} : { model }), content },
      ...(messageId === undefined ? {} : { messageId }),
      uuid,
      timestamp: new Date(timeMs).toISOString(),
    };
    this.#parent = uuid;
    this.#lineOfMessage += 1;
    return `${JSON.stringify(line)}\n`;
  }
}

/** The first line of a transcript. Its day is of UTC, so that machines in several zones stage the same text. */
export function headerLine(
  title: string,
  directory: string,
  createdMs: number,
  parentTitle?: string,
): string {
  const date = new Date(createdMs).toISOString().replace(/T.*/, '');
  const parent = parentTitle === undefined ? '' : ` | subagent of ${parentTitle}`;
  return `[session: ${title} | ${directory} | ${date}${parent}]`;
}

/** A UUID (in the form of version 5) made from the message and the line's index in it. */
function lineId(sessionId: string, messageId: string, line: number): string {
  const hex = sha256(`${sessionId}\n${messageId}\n${line}`);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, `$1-$2-5$3-${variant}$4-$5`);
}
