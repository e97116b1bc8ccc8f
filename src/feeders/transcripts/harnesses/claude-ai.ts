import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import { inBranches } from '../branches.js';
import type { Entry, Part } from '../entry.js';
import { beginningOf, eachPiece, identifyEach, isObject, isoOf, msOf, nameOf } from '../exported.js';
import type { Harness, Identity } from '../harness.js';
import { oneLineOf, textOf } from '../records.js';

/**
 * Conversations of Claude.ai: the export of an account (a list, or an object with `conversations`), one conversation
 * with `chat_messages` or `messages`, and a bare list of messages.
 */
const text = z.string().min(1).optional().catch(undefined);
const time = z.union([z.number(), z.string()]).nullish().catch(undefined);
const messages = z.array(z.unknown());
const conversation = z
  .looseObject({ uuid: text, id: text, name: text, title: text, created_at: time, updated_at: time })
  .and(z.union([z.looseObject({ chat_messages: messages }), z.looseObject({ messages })]));
type Conversation = z.infer<typeof conversation>;

const ROLES = { human: 'user', user: 'user', assistant: 'assistant', ai: 'assistant' } as const;
const role = z.enum(['human', 'user', 'assistant', 'ai']);
const named = z.looseObject({ file_name: text });
const content = z.union([z.string(), z.array(z.unknown())]).nullish();
const fields = z.looseObject({
  uuid: text,
  id: text,
  parent_message_uuid: text,
  created_at: time,
  timestamp: time,
  text: z.string().nullish(),
  content,
  attachments: z
    .array(named.extend({ extracted_content: text }))
    .nullish()
    .catch(undefined),
  files: z.array(named).nullish().catch(undefined),
});
const message = z.union([fields.extend({ sender: role }), fields.extend({ role })]);
type Message = z.infer<typeof message>;

/** Stands in `text` for what `content` has. */
const UNSUPPORTED = /(?:```\s*)?This block is not supported on your current device yet\.(?:\s*```)?/g;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

export const claudeAi: Harness = {
  name: 'claude-ai',
  label: 'Claude.ai exports',
  version: 1,
  places: () => [],
  patterns: ['**/*.json'],
  recognises(head) {
    const { items, document } = beginningOf(head);
    return items.some(isConversation) || (Array.isArray(document) && document.some(isMessage));
  },
  async identify(head) {
    // A bare list of messages is one conversation.
    if (beginningOf(head).items.some(isMessage)) return [{ sessionId: undefined }];
    return identifyEach(head, identityOf);
  },
  idsAreUnique: false,
  sameSession: 'newest',
  read: (files) => eachPiece(files, readConversation),
};

/** The last message may be cut off. */
function isConversation(json: unknown): boolean {
  if (!isObject(json)) return false;
  if (Array.isArray(json.chat_messages)) return true;
  return Array.isArray(json.messages) && json.messages.some(isMessage);
}

function isMessage(json: unknown): boolean {
  return message.safeParse(json).success && isObject(json) && (isSaid(json.text) || isSaid(json.content));
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

function messagesOf(data: Conversation): unknown[] {
  const { data: given = [] } = messages.safeParse(data.chat_messages ?? data.messages);
  return given;
}

function identityOf(json: unknown): Omit<Identity, 'range'> | undefined {
  const { data } = conversation.safeParse(json);
  if (data === undefined) return undefined;
  const begun = isoOf(data.created_at);
  const first = message.safeParse(messagesOf(data)[0]).data;
  // Without a name it is known by what stays when it grows, if anything of it is its own.
  const own = [begun, first?.uuid ?? first?.id, isoOf(first?.created_at ?? first?.timestamp)];
  const made = own.every((each) => each === undefined) ? undefined : sha256(JSON.stringify(own)).slice(0, 24);
  return { sessionId: data.uuid ?? data.id ?? made, begun, changedMs: msOf(data.updated_at) };
}

function* readConversation(json: unknown): Generator<Entry> {
  const parsed = conversation.safeParse(Array.isArray(json) ? { messages: json } : json);
  if (!parsed.success) {
    const reason = `${nameOf(json)}: no conversation of Claude.ai (no chat_messages)`;
    yield { kind: 'malformed', line: 0, reason };
    return;
  }
  const { data } = parsed;
  const title = oneLineOf(data.name ?? data.title);
  if (title !== undefined) yield { kind: 'fact', title: { text: title, rank: 1 } };
  const given = messagesOf(data).map((each) => message.safeParse(each).data);
  const ids = new Set(given.map((each) => each?.uuid));
  const isTree = given.some(
    ({ parent_message_uuid: parent } = { sender: 'human' }) => parent && ids.has(parent),
  );
  let before: string | undefined;
  const nodes = given.map((each, index) => {
    const unique = each?.uuid !== undefined && ids.delete(each.uuid);
    const id = unique && each?.uuid !== undefined ? each.uuid : `#${index}`;
    const parent = isTree && each !== undefined ? each.parent_message_uuid : before;
    before = id;
    const entries = each === undefined ? [unread(json, index)] : entriesOf(each);
    return { id, parent, entries };
  });
  yield* inBranches(nodes);
}

/** A message of somebody else, such as a system's, is none of the conversation. */
function unread(json: unknown, index: number): Entry {
  const given = Array.isArray(json) ? json : isObject(json) ? (json.chat_messages ?? json.messages) : [];
  const each: unknown = Array.isArray(given) ? given[index] : undefined;
  const by = isObject(each) ? textOf(each.sender ?? each.role) : undefined;
  if (by !== undefined && !role.safeParse(by).success) return { kind: 'ignored', type: `${by} message` };
  return { kind: 'malformed', line: 0, reason: `${nameOf(json)}: message ${index + 1} cannot be read` };
}

function entriesOf(given: Message): Entry[] {
  const ignored: string[] = [];
  const parts = partsOf(given, ignored);
  if (parts.length === 0 && ignored.length === 0) return [];
  const by = ROLES[role.parse(given.sender ?? given.role)];
  const id = given.uuid ?? given.id;
  const at = isoOf(given.created_at ?? given.timestamp);
  const copyKey = id !== undefined && UUID.test(id) ? { key: id, weak: false } : undefined;
  return [{ kind: 'turn', role: by, parts, id, at, spoken: by === 'user', ignored, copyKey }];
}

function partsOf({ text: whole, content: given, attachments, files }: Message, ignored: string[]): Part[] {
  const blocks = typeof given === 'string' ? [{ type: 'text', text: given }] : (given ?? []);
  const parts = blocks.flatMap((block) => partOf(block, ignored));
  const rest = restOf(whole ?? '', parts);
  if (rest !== '') parts.push({ kind: 'text', text: rest });
  for (const { file_name: name, extracted_content: extracted } of attachments ?? []) {
    parts.push({ kind: 'text', text: `[attachment: ${oneLineOf(name) ?? 'pasted text'}]` });
    if (extracted !== undefined) parts.push({ kind: 'text', text: extracted });
  }
  for (const { file_name: name } of files ?? [])
    if (name !== undefined) parts.push({ kind: 'text', text: `[file: ${oneLineOf(name)}]` });
  return parts;
}

/** What `text` says that the blocks do not: it repeats their texts. */
function restOf(whole: string, parts: readonly Part[]): string {
  let rest = whole;
  for (const part of parts) if (part.kind === 'text') rest = rest.replace(part.text.trim(), () => '');
  if (parts.length > 0) rest = rest.replace(UNSUPPORTED, '');
  return rest.trim() === '' ? '' : rest;
}

function partOf(block: unknown, ignored: string[]): Part[] {
  if (typeof block === 'string') return [{ kind: 'text', text: block }];
  if (!isObject(block)) return [];
  const type = textOf(block.type) ?? 'unknown';
  const said = textOf(block.text);
  if (type === 'thinking' && textOf(block.thinking)?.trim())
    return [{ kind: 'text', text: `[reasoning] ${textOf(block.thinking)}` }];
  if (type === 'tool_use')
    return [
      { kind: 'call', id: textOf(block.id), name: textOf(block.name) ?? 'unknown', input: block.input },
    ];
  if (type === 'tool_result')
    return [
      {
        kind: 'result',
        id: textOf(block.tool_use_id),
        text: resultOf(block.content),
        error: block.is_error === true,
      },
    ];
  if (said !== undefined) return said.trim() === '' ? [] : [{ kind: 'text', text: said }];
  if (type === 'image') return [{ kind: 'text', text: '[image]' }];
  ignored.push(`${type} block`);
  return [];
}

/** All texts in a result, a line each, whatever they are put in. */
function resultOf(given: unknown): string {
  if (typeof given === 'string') return given;
  const blocks = Array.isArray(given) ? given : [given];
  return blocks
    .map((block) => {
      if (!isObject(block)) return typeof block === 'string' ? block : '';
      return textOf(block.text) ?? [textOf(block.title), textOf(block.url)].filter(Boolean).join('\n');
    })
    .filter((each) => each !== '')
    .join('\n');
}
