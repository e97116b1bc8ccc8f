import { z } from 'zod';
import { sha256 } from '../../../../core/hash.js';
import { contentParts, contentSchema, type Part, textPart } from '../../../../core/parts.js';
import type { ConversationFiles } from '../../harness.js';
import { typeOf, unknownRecord } from '../../records.js';
import { type Entry, malformed, maybe, optionalText, type Turn, turn } from '../../turns.js';
import { programsWords } from './words.js';

const message = z.object({ id: optionalText, model: optionalText, content: contentSchema });
const record = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  messageId: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  isSidechain: maybe(z.boolean()),
  agentId: optionalText,
  version: optionalText,
  subtype: optionalText,
  forkedFrom: maybe(z.object({ messageUuid: optionalText })),
  toolUseResult: z.unknown().optional(),
});
const queued = z.object({
  type: z.literal('queued_command'),
  prompt: contentSchema,
  commandMode: optionalText,
  isMeta: maybe(z.boolean()),
});
// Made once: a schema is compiled when it is first used.
const withMessage = z.object({ message });
const withAttachment = z.object({ attachment: queued });
const withContent = z.object({ content: z.string() });
type Fields = z.infer<typeof record>;

/** What a record says, but for summaries and titles. */
export function readRecord(json: unknown, line: number, conversation: ConversationFiles): Entry[] {
  const { data } = record.safeParse(json);
  if (data === undefined) return [malformed('not a transcript record', line)];
  const role = data.type === 'human' ? 'user' : data.type;
  if (role === 'attachment') {
    // What a person typed while the agent was at work, and what else was put in then.
    const queue = withAttachment.safeParse(json).data?.attachment;
    if (queue === undefined) return [];
    return [usersTurn(contentParts(queue.prompt), { ...data, isMeta: queue.isMeta }, conversation)];
  }
  if (role === 'system') {
    // A command that Claude Code answered itself, and what it printed.
    const said = data.subtype === 'local_command' ? withContent.safeParse(json).data : undefined;
    const program = said && programsWords(said.content, conversation);
    return program === undefined ? [] : [turnOf(data, 'user', program.parts, { synthetic: true })];
  }
  if (role !== 'user' && role !== 'assistant') return unknownRecord(json, line);
  const said = withMessage.safeParse(json).data?.message;
  if (said === undefined) return [malformed(`${role} record without a readable message`, line)];
  const parts = withWholeOutput(contentParts(said.content), data.toolUseResult);
  if (role === 'user') return [usersTurn(parts, data, conversation)];
  const copyKey = copyKeyOf(data, said.id, parts);
  const synthetic = said.model === '<synthetic>';
  return [turnOf(data, 'assistant', parts, { spoken: true, synthetic, message: said.id, copyKey })];
}

function turnOf(data: Fields, role: Turn['role'], parts: Part[], more: Partial<Turn>): Turn {
  const id = data.messageId ?? data.uuid;
  return turn(role, parts, { id, at: data.timestamp, copyOf: data.forkedFrom?.messageUuid, ...more });
}

function usersTurn(parts: Part[], data: Fields, conversation: ConversationFiles): Turn {
  const copyKey = copyKeyOf(data, undefined, parts);
  if (data.isCompactSummary === true)
    return turnOf(data, 'user', parts.map(asSummary), { synthetic: true, copyKey });
  if (data.isMeta === true) return turnOf(data, 'user', parts, { synthetic: true, copyKey });
  const [first] = parts;
  const alone = parts.length === 1 && first?.kind === 'text';
  const program = alone ? programsWords(first.text, conversation) : undefined;
  if (program !== undefined) return turnOf(data, 'user', parts, { copyKey, ...program });
  // In a session's own transcript: what an agent asked of another, as releases before 2.0 have it.
  const inline = data.isSidechain === true && conversation.identity.agentId === undefined;
  return turnOf(data, 'user', parts, { spoken: !inline, synthetic: inline, copyKey });
}

function asSummary(part: Part): Part {
  return part.kind === 'text' ? textPart(`[compaction summary] ${part.text}`) : part;
}

const printed = z.looseObject({
  stdout: z.string(),
  stderr: z.string().catch(''),
  isImage: z.boolean().catch(false),
});

/**
 * The parts with the whole output of a command, where the record keeps more of it beside the message than in it (a long
 * one is shown to the model as a preview of 2 KB).
 */
function withWholeOutput(parts: Part[], toolUseResult: unknown): Part[] {
  const { data } = printed.safeParse(toolUseResult);
  const [shown, ...others] = parts.filter((part) => part.kind === 'result');
  if (data === undefined || data.isImage || shown === undefined || others.length > 0) return parts;
  const text = [data.stdout, data.stderr].filter((each) => each !== '').join('\n');
  const containsAll = text.trim().length <= shown.text.length || shown.text.includes(text.trim());
  return containsAll ? parts : parts.map((part) => (part === shown ? { ...shown, text } : part));
}

const operation = z.object({
  type: z.literal('queue-operation'),
  operation: z.string(),
  content: z.string().nullish(),
  timestamp: optionalText,
});

/**
 * What was typed while the agent worked waits in a queue, which the transcript reports. What the agent got is in a
 * record of its own; what was still waiting when the session ended is nowhere else.
 */
export class Queue {
  #waiting: { text: string; at: string | undefined }[] = [];

  /** Whether the record is one of the queue's. */
  meet(json: unknown): boolean {
    const data = typeOf(json) === 'queue-operation' ? operation.safeParse(json).data : undefined;
    if (data === undefined) return false;
    const { operation: what, content, timestamp: at } = data;
    if (what === 'enqueue') this.#waiting.push({ text: content ?? '', at });
    else if (what === 'popAll') this.#waiting = [];
    else {
      const place = content == null ? 0 : this.#waiting.findIndex(({ text }) => text === content);
      this.#waiting.splice(Math.max(place, 0), 1);
    }
    return true;
  }

  /** What nobody took, as what the user said. */
  rest(): Turn[] {
    return this.#waiting
      .filter(({ text }) => text.trim() !== '' && !text.trimStart().startsWith('<'))
      .map(({ text, at }) => {
        const synthetic = text.startsWith('/');
        return turn('user', text, { at, spoken: !synthetic, synthetic });
      });
  }
}

/**
 * What copies of a record have in common with it. Releases before 2.0 copy a session that is resumed into a new file,
 * with other ids and times: an answer keeps the id of its message, what a user said nothing but its words.
 */
function copyKeyOf({ version }: Fields, messageId: string | undefined, parts: Part[]): Turn['copyKey'] {
  if (version === undefined || !/^[01]\./.test(version) || parts.length === 0) return undefined;
  const key = sha256(JSON.stringify([messageId ?? null, parts])).slice(0, 24);
  return { key, weak: messageId === undefined };
}
