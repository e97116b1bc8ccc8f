import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import { type Part, textOf, textPart } from '../../../core/parts.js';
import { type TreeNode, treeExport } from '../branches.js';
import { fileLine, msOf, nameOf, time, timeOf, uuidKey } from '../exported.js';
import { maybe, optionalName } from '../schemas.js';
import { type Entry, isObject, listOf, malformed, oneLineOf, turn } from '../turns.js';

/** The export of ChatGPT, `conversations.json`: a list of conversations, each a tree of messages. Reads all branches. */
const conversation = z.looseObject({
  title: optionalName,
  conversation_id: optionalName,
  id: optionalName,
  create_time: time,
  update_time: time,
  mapping: z.record(z.string(), z.unknown()),
});
type ChatGptConversation = z.infer<typeof conversation>;
const node = z.looseObject({
  parent: optionalName,
  children: maybe(z.array(z.string())),
  message: z.unknown().optional(),
});
const message = z.looseObject({
  author: z.looseObject({ role: z.string(), name: optionalName }),
  create_time: time,
  recipient: optionalName,
  content: z.looseObject({ content_type: z.string().catch('text') }),
  metadata: maybe(
    z.looseObject({
      is_visually_hidden_from_conversation: maybe(z.boolean()),
      attachments: maybe(z.array(z.looseObject({ name: optionalName }))),
    }),
  ),
});
type Message = z.infer<typeof message>;

/** Content types that ChatGPT adds itself. */
const NOT_SAID = new Set(['user_editable_context', 'model_editable_context', 'reasoning_recap']);

export const chatGpt = treeExport(
  {
    name: 'chatgpt',
    label: 'ChatGPT exports',
    recognises: (items) => items.some((item) => isObject(item) && isObject(item.mapping)),
  },
  (json) => {
    const { data, error } = conversation.safeParse(json);
    if (data === undefined) {
      const [issue] = error.issues;
      return `not a conversation of ChatGPT (${issue?.path.join('.')}: ${issue?.message})`;
    }
    const { title, conversation_id, id, create_time, update_time, mapping } = data;
    const begun = timeOf(create_time);
    // Without an id, a hash of data that does not change when the conversation grows.
    const sessionId =
      conversation_id ?? id ?? sha256(JSON.stringify([begun, Object.keys(mapping)[0]])).slice(0, 24);
    return {
      title,
      identity: { sessionId, begun, changedMs: msOf(update_time) },
      nodes: () => nodesOf(data),
    };
  },
);

/** Sorted so that branches are in the order of their creation, which is the order in their parents' lists. */
function nodesOf(data: ChatGptConversation): TreeNode[] {
  const links = new Map<string, z.infer<typeof node> | undefined>();
  const parents = new Map<string, string>();
  for (const [id, value] of Object.entries(data.mapping)) {
    const parsed = node.safeParse(value).data;
    links.set(id, parsed);
    for (const child of parsed?.children ?? []) if (!parents.has(child)) parents.set(child, id);
  }
  const all = [...links].flatMap(([id, link]) => [id, ...(link?.children ?? [])]);
  const order = new Set(all.filter((id) => links.has(id)));
  return [...order].map((id) => {
    const link = links.get(id);
    const parent = link?.parent !== undefined && links.has(link.parent) ? link.parent : parents.get(id);
    return { id, parent, entries: link === undefined ? [lost(data, id)] : entriesOf(data, id, link.message) };
  });
}

function lost(data: ChatGptConversation, id: string): Entry {
  return malformed(`${nameOf(data)}: message ${id} cannot be read`);
}

function entriesOf(data: ChatGptConversation, id: string, given: unknown): Entry[] {
  if (given === null || given === undefined) return [];
  const parsed = message.safeParse(given).data;
  if (parsed === undefined) return [lost(data, id)];
  const { author, content, create_time: created, metadata } = parsed;
  if (author.role === 'system' || metadata?.is_visually_hidden_from_conversation === true) return [];
  if (NOT_SAID.has(content.content_type)) return [];
  const { texts, complete } = textsOf(content);
  const parts = partsOf(parsed, texts);
  if (parts.length === 0 && complete) return [];
  const spoken = author.role === 'user';
  const role = author.role === 'assistant' ? 'assistant' : 'user';
  return [turn(role, parts, { id, at: timeOf(created), spoken, copyKey: uuidKey(id) })];
}

function partsOf({ author, content, recipient, metadata }: Message, texts: string[]): Part[] {
  const { role, name } = author;
  const error = content.content_type === 'system_error';
  if (role !== 'user' && role !== 'assistant')
    return texts.map((said) => ({ kind: 'result', id: undefined, text: said, error }));
  const calls = role === 'assistant' && recipient !== undefined && recipient !== 'all';
  const to = calls && texts.length > 0 ? [`[to ${oneLineOf(recipient) ?? name}]`] : [];
  const files = (metadata?.attachments ?? []).flatMap((file) => fileLine(file.name));
  return [...to, ...texts, ...files].map(textPart);
}

/** The texts of a content; not complete if a part has an unknown type. */
function textsOf({ parts, thoughts, ...content }: Message['content']): {
  texts: string[];
  complete: boolean;
} {
  const found: unknown[] = [];
  let complete = true;
  for (const part of listOf(parts)) {
    const given = isObject(part) ? textOf(part.text) : textOf(part);
    if (given !== undefined) found.push(given);
    else if (isObject(part) && part.content_type === 'image_asset_pointer') found.push('[image]');
    else complete = false;
  }
  for (const thought of listOf(thoughts)) {
    const { summary, content: words } = isObject(thought) ? thought : {};
    const said = [textOf(summary), textOf(words)].filter(Boolean).join('\n');
    found.push(said === '' ? '' : `[reasoning] ${said}`);
  }
  found.push(content.title, content.url, content.text, content.result, content.summary, content.content);
  const texts = found.filter((each): each is string => typeof each === 'string' && each.trim() !== '');
  return { texts, complete: complete && (texts.length > 0 || parts !== undefined || thoughts !== undefined) };
}
