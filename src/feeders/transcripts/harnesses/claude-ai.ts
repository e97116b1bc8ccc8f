import * as field from '../../../core/fields.js';
import { sha256 } from '../../../core/hash.js';
import { isRecord } from '../../../core/json.js';
import { type Part, reasoningPart, textPart } from '../../../core/parts.js';
import { type TreeNode, treeExport } from '../branches.js';
import { beginningOf, fileLine, msOf, nameOf, timeOf, uuidKey } from '../exported.js';
import type { Harness } from '../harness.js';
import { type Entry, malformed, oneLineOf, type Turn, turn } from '../turns.js';

const ROLES = new Map<unknown, Turn['role']>([
  ['human', 'user'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
]);

interface Message {
  data: field.Fields;
  role: Turn['role'];
  id: string | undefined;
  at: string | undefined;
}

/** Undefined if its sender, text or content is none of a message. */
function messageIn(json: unknown): Message | undefined {
  const data = field.object(json);
  const role = ROLES.get(data?.sender) ?? ROLES.get(data?.role);
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  if (data === undefined || role === undefined || !isText(data.text)) return undefined;
  if (!isText(data.content) && !Array.isArray(data.content)) return undefined;
  const id = field.name(data, 'uuid') ?? field.name(data, 'id');
  return { data, role, id, at: timeOf(data.created_at) ?? timeOf(data.timestamp) };
}

/** A placeholder in `text` for a block of `content`. */
const UNSUPPORTED = /(?:```\s*)?This block is not supported on your current device yet\.(?:\s*```)?/g;

/**
 * Conversations of Claude.ai. Accepts the export of an account (a list, or an object with `conversations`), one
 * conversation with `chat_messages` or `messages`, and a bare list of messages.
 */
const reader = treeExport(
  {
    name: 'claude-ai',
    label: 'Claude.ai exports',
    recognises: (items, document) => items.some(isConversation) || field.list(document).some(isMessage),
  },
  (json) => {
    const messages = [json, field.value(json, 'chat_messages'), field.value(json, 'messages')].find(
      Array.isArray,
    );
    if (messages === undefined) return 'not a conversation of Claude.ai (no chat_messages)';
    const begun = timeOf(field.value(json, 'created_at'));
    const first = messageIn(messages[0]);
    // Without an id, a hash of data that does not change when the conversation grows, if there is any.
    const own = [begun, first?.id, first?.at];
    const isEmpty = own.every((each) => each === undefined);
    const made = isEmpty ? undefined : sha256(JSON.stringify(own)).slice(0, 24);
    const sessionId = field.name(json, 'uuid') ?? field.name(json, 'id') ?? made;
    return {
      title: field.name(json, 'name') ?? field.name(json, 'title'),
      identity: { sessionId, begun, changedMs: msOf(field.value(json, 'updated_at')) },
      nodes: () => nodesOf(messages, nameOf(json)),
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
  return Array.isArray(field.value(json, 'chat_messages')) || field.list(json, 'messages').some(isMessage);
}

function isMessage(json: unknown): boolean {
  const { text, content } = messageIn(json)?.data ?? {};
  return [text, content].some((said) => typeof said === 'string' || Array.isArray(said));
}

function nodesOf(all: readonly unknown[], name: string): TreeNode[] {
  const messages = all.map(messageIn);
  const fieldOf = (message: Message | undefined, key: string) => field.name(message?.data, key);
  const ids = new Set(messages.map((each) => fieldOf(each, 'uuid')));
  const parentOf = (each: Message | undefined) => fieldOf(each, 'parent_message_uuid');
  const isTree = messages.some((each) => parentOf(each) !== undefined && ids.has(parentOf(each)));
  let before: string | undefined;
  return messages.map((each, index) => {
    const uuid = fieldOf(each, 'uuid');
    const id = uuid !== undefined && ids.delete(uuid) ? uuid : `#${index}`;
    const parent = isTree && each !== undefined ? parentOf(each) : before;
    before = id;
    if (each !== undefined) return { id, parent, entries: entriesOf(each) };
    const lost = malformed(`${name}: message ${index + 1} cannot be read`);
    return { id, parent, entries: isOfOthers(all[index]) ? [] : [lost] };
  });
}

/** Other senders, such as a system, are not part of the conversation. */
function isOfOthers(each: unknown): boolean {
  const by = field.text(field.value(each, 'sender') ?? field.value(each, 'role'));
  return by !== undefined && !ROLES.has(by);
}

function entriesOf({ data, role, id, at }: Message): Entry[] {
  const { text: whole, content } = data;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : field.list(content);
  const read = blocks.map(partOf);
  const parts = read.flatMap((part) => part ?? []);
  const rest = restOf(field.text(whole) ?? '', parts);
  if (rest !== '') parts.push(textPart(rest));
  for (const attachment of field.objects(data, 'attachments')) {
    const extracted = field.name(attachment, 'extracted_content');
    parts.push(textPart(`[attachment: ${oneLineOf(field.text(attachment, 'file_name')) ?? 'pasted text'}]`));
    if (extracted !== undefined) parts.push(textPart(extracted));
  }
  for (const file of field.objects(data, 'files'))
    parts.push(...fileLine(field.text(file, 'file_name')).map(textPart));
  if (parts.length === 0 && read.every((each) => each !== undefined)) return [];
  return [turn(role, parts, { id, at, spoken: role === 'user', copyKey: uuidKey(id) })];
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
  if (!isRecord(block)) return [];
  const said = field.text(block.text);
  const thinking = field.text(block.thinking);
  if (block.type === 'thinking' && thinking?.trim()) return reasoningPart(thinking);
  if (block.type === 'tool_use')
    return {
      kind: 'call',
      id: field.text(block.id),
      name: field.text(block.name) ?? 'unknown',
      input: block.input,
    };
  if (block.type === 'tool_result') {
    const error = block.is_error === true;
    return { kind: 'result', id: field.text(block.tool_use_id), text: resultOf(block.content), error };
  }
  if (said !== undefined) return said.trim() === '' ? [] : textPart(said);
  return block.type === 'image' ? textPart('[image]') : undefined;
}

/** All texts in a result, one per line. */
function resultOf(given: unknown): string {
  if (typeof given === 'string') return given;
  const texts = (Array.isArray(given) ? given : [given]).map((block) => {
    if (!isRecord(block)) return field.text(block);
    return (
      field.text(block.text) ?? [field.text(block.title), field.text(block.url)].filter(Boolean).join('\n')
    );
  });
  return texts.filter(Boolean).join('\n');
}
