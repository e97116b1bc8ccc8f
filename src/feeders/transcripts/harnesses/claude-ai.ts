import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import { type Part, reasoningPart, textOf, textPart } from '../../../core/parts.js';
import { type TreeNode, treeExport } from '../branches.js';
import { beginningOf, fileLine, msOf, nameOf, time, timeOf, uuidKey } from '../exported.js';
import type { Harness } from '../harness.js';
import { maybe, optionalName } from '../schemas.js';
import { type Entry, isObject, malformed, oneLineOf, turn } from '../turns.js';

/**
 * Conversations of Claude.ai. Accepts the export of an account (a list, or an object with `conversations`), one
 * conversation with `chat_messages` or `messages`, and a bare list of messages.
 */
const messages = maybe(z.array(z.unknown()));
const conversation = z.looseObject({
  uuid: optionalName,
  id: optionalName,
  name: optionalName,
  title: optionalName,
  created_at: time,
  updated_at: time,
  chat_messages: messages,
  messages,
});

const ROLES = { human: 'user', user: 'user', assistant: 'assistant', ai: 'assistant' } as const;
const role = z.enum(['human', 'user', 'assistant', 'ai']);
const named = z.looseObject({ file_name: optionalName });
const fields = z.looseObject({
  uuid: optionalName,
  id: optionalName,
  parent_message_uuid: optionalName,
  created_at: time,
  timestamp: time,
  text: z.string().nullish(),
  content: z.union([z.string(), z.array(z.unknown())]).nullish(),
  attachments: maybe(z.array(named.extend({ extracted_content: optionalName }))),
  files: maybe(z.array(named)),
});
const message = z.union([fields.extend({ sender: role }), fields.extend({ role })]);
type Message = z.infer<typeof message>;

/** A placeholder in `text` for a block of `content`. */
const UNSUPPORTED = /(?:```\s*)?This block is not supported on your current device yet\.(?:\s*```)?/g;

const reader = treeExport(
  {
    name: 'claude-ai',
    label: 'Claude.ai exports',
    recognises: (items, document) =>
      items.some(isConversation) || (Array.isArray(document) && document.some(isMessage)),
  },
  (json) => {
    const { data } = conversation.safeParse(Array.isArray(json) ? { messages: json } : json);
    const given = data?.chat_messages ?? data?.messages;
    if (data === undefined || given === undefined)
      return 'not a conversation of Claude.ai (no chat_messages)';
    const begun = timeOf(data.created_at);
    const first = message.safeParse(given[0]).data;
    // Without an id, a hash of data that does not change when the conversation grows, if there is any.
    const own = [begun, first?.uuid ?? first?.id, timeOf(first?.created_at ?? first?.timestamp)];
    const isEmpty = own.every((each) => each === undefined);
    const made = isEmpty ? undefined : sha256(JSON.stringify(own)).slice(0, 24);
    return {
      title: data.name ?? data.title,
      identity: { sessionId: data.uuid ?? data.id ?? made, begun, changedMs: msOf(data.updated_at) },
      nodes: () => nodesOf(given, nameOf(json)),
    };
  },
);

export const claudeAi: Harness = {
  ...reader,
  // A bare list of messages is one conversation.
  identify: (head) =>
    beginningOf(head).items.some(isMessage) ? [{ sessionId: undefined }] : reader.identify(head),
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

function nodesOf(all: readonly unknown[], name: string): TreeNode[] {
  const given = all.map((each) => message.safeParse(each).data);
  const ids = new Set(given.map((each) => each?.uuid));
  const isTree = given.some((each) => each?.parent_message_uuid && ids.has(each.parent_message_uuid));
  let before: string | undefined;
  return given.map((each, index) => {
    const uuid = each?.uuid;
    const id = uuid !== undefined && ids.delete(uuid) ? uuid : `#${index}`;
    const parent = isTree && each !== undefined ? each.parent_message_uuid : before;
    before = id;
    if (each !== undefined) return { id, parent, entries: entriesOf(each) };
    const lost = malformed(`${name}: message ${index + 1} cannot be read`);
    return { id, parent, entries: isOfOthers(all[index]) ? [] : [lost] };
  });
}

/** Other senders, such as a system, are not part of the conversation. */
function isOfOthers(each: unknown): boolean {
  const by = isObject(each) ? textOf(each.sender ?? each.role) : undefined;
  return by !== undefined && !role.safeParse(by).success;
}

function entriesOf(given: Message): Entry[] {
  const { text: whole, content: said, attachments = [], files = [] } = given;
  const blocks = typeof said === 'string' ? [{ type: 'text', text: said }] : (said ?? []);
  const read = blocks.map(partOf);
  const parts = read.flatMap((part) => part ?? []);
  const rest = restOf(whole ?? '', parts);
  if (rest !== '') parts.push(textPart(rest));
  for (const { file_name: name, extracted_content: extracted } of attachments) {
    parts.push(textPart(`[attachment: ${oneLineOf(name) ?? 'pasted text'}]`));
    if (extracted !== undefined) parts.push(textPart(extracted));
  }
  parts.push(...files.flatMap((file) => fileLine(file.file_name)).map(textPart));
  if (parts.length === 0 && read.every((each) => each !== undefined)) return [];
  const by = ROLES[role.parse(given.sender ?? given.role)];
  const id = given.uuid ?? given.id;
  const at = timeOf(given.created_at ?? given.timestamp);
  return [turn(by, parts, { id, at, spoken: by === 'user', copyKey: uuidKey(id) })];
}

/** The rest of `text` without the texts of the blocks, which it repeats. */
function restOf(whole: string, parts: readonly Part[]): string {
  let rest = whole;
  for (const part of parts) if (part.kind === 'text') rest = rest.replace(part.text.trim(), () => '');
  if (parts.length > 0) rest = rest.replace(UNSUPPORTED, '');
  return rest.trim() === '' ? '' : rest;
}

/** Undefined for an unknown type. */
function partOf(block: unknown): Part | Part[] | undefined {
  if (typeof block === 'string') return textPart(block);
  if (!isObject(block)) return [];
  const said = textOf(block.text);
  const thinking = textOf(block.thinking);
  if (block.type === 'thinking' && thinking?.trim()) return reasoningPart(thinking);
  if (block.type === 'tool_use')
    return { kind: 'call', id: textOf(block.id), name: textOf(block.name) ?? 'unknown', input: block.input };
  if (block.type === 'tool_result') {
    const error = block.is_error === true;
    return { kind: 'result', id: textOf(block.tool_use_id), text: resultOf(block.content), error };
  }
  if (said !== undefined) return said.trim() === '' ? [] : textPart(said);
  return block.type === 'image' ? textPart('[image]') : undefined;
}

/** All texts in a result, one per line. */
function resultOf(given: unknown): string {
  if (typeof given === 'string') return given;
  const texts = (Array.isArray(given) ? given : [given]).map((block) => {
    if (!isObject(block)) return textOf(block);
    return textOf(block.text) ?? [textOf(block.title), textOf(block.url)].filter(Boolean).join('\n');
  });
  return texts.filter(Boolean).join('\n');
}
