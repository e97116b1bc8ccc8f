import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import { inBranches, type TreeNode } from '../branches.js';
import type { Entry, Part, Turn } from '../entry.js';
import { beginningOf, eachPiece, identifyEach, isObject, isoOf, msOf, nameOf } from '../exported.js';
import type { Harness, Identity } from '../harness.js';
import { oneLineOf, textOf } from '../records.js';

/**
 * The export of ChatGPT, `conversations.json`: a list of conversations, each a tree of messages. All its branches are
 * read.
 */
const text = z.string().min(1).optional().catch(undefined);
const time = z.union([z.number(), z.string()]).nullish().catch(undefined);
const conversation = z.looseObject({
  title: text,
  conversation_id: text,
  id: text,
  create_time: time,
  update_time: time,
  mapping: z.record(z.string(), z.unknown()),
});
type ChatGptConversation = z.infer<typeof conversation>;
const node = z.looseObject({
  parent: text,
  children: z.array(z.string()).optional().catch(undefined),
  message: z.unknown().optional(),
});
const message = z.looseObject({
  author: z.looseObject({ role: z.string(), name: text }),
  create_time: time,
  recipient: text,
  content: z.looseObject({ content_type: z.string().catch('text') }),
  metadata: z
    .looseObject({
      is_visually_hidden_from_conversation: z.boolean().optional().catch(undefined),
      attachments: z
        .array(z.looseObject({ name: text }))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Message = z.infer<typeof message>;

/** What ChatGPT puts in beside what is said. */
const NOT_SAID = new Set(['user_editable_context', 'model_editable_context', 'reasoning_recap']);
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

export const chatGpt: Harness = {
  name: 'chatgpt',
  label: 'ChatGPT exports',
  version: 1,
  places: () => [],
  patterns: ['**/*.json'],
  recognises(head) {
    const { items } = beginningOf(head);
    return items.some((item) => isObject(item) && isObject(item.mapping));
  },
  identify: (head) => identifyEach(head, identityOf),
  idsAreUnique: false,
  sameSession: 'newest',
  read: (files) => eachPiece(files, readConversation),
};

function identityOf(json: unknown): Omit<Identity, 'range'> | undefined {
  const { data } = conversation.safeParse(json);
  if (data === undefined) return undefined;
  const { conversation_id, id, create_time, update_time } = data;
  const begun = isoOf(create_time);
  // Without a name it is known by what stays when it grows.
  const sessionId =
    conversation_id ?? id ?? sha256(JSON.stringify([begun, Object.keys(data.mapping)[0]])).slice(0, 24);
  return { sessionId, begun, changedMs: msOf(update_time) };
}

function* readConversation(json: unknown): Generator<Entry> {
  const { data, error } = conversation.safeParse(json);
  if (data === undefined) {
    const issue = error.issues[0];
    const reason = `${nameOf(json)}: no conversation of ChatGPT (${issue?.path.join('.')}: ${issue?.message})`;
    yield { kind: 'malformed', line: 0, reason };
    return;
  }
  const title = oneLineOf(data.title);
  if (title !== undefined) yield { kind: 'fact', title: { text: title, rank: 1 } };
  yield* inBranches(nodesOf(data));
}

/** In an order in which branches come as they were made: as their parents list them. */
function nodesOf(data: ChatGptConversation): TreeNode[] {
  const links = new Map<string, z.infer<typeof node> | undefined>();
  const parents = new Map<string, string>();
  for (const [id, value] of Object.entries(data.mapping)) {
    const parsed = node.safeParse(value).data;
    links.set(id, parsed);
    for (const child of parsed?.children ?? []) if (!parents.has(child)) parents.set(child, id);
  }
  const order = new Set<string>();
  for (const [id, link] of links) {
    order.add(id);
    // Children of one parent stay in their order, wherever the mapping has them.
    for (const child of link?.children ?? []) if (links.has(child)) order.add(child);
  }
  return [...order].map((id) => {
    const link = links.get(id);
    const parent = link?.parent !== undefined && links.has(link.parent) ? link.parent : parents.get(id);
    return { id, parent, entries: link === undefined ? [lost(data, id)] : entriesOf(data, id, link.message) };
  });
}

function lost(data: ChatGptConversation, id: string): Entry {
  return { kind: 'malformed', line: 0, reason: `${nameOf(data)}: message ${id} cannot be read` };
}

function entriesOf(data: ChatGptConversation, id: string, given: unknown): Entry[] {
  if (given === null || given === undefined) return [];
  const parsed = message.safeParse(given).data;
  if (parsed === undefined) return [lost(data, id)];
  const { role } = parsed.author;
  const { content_type } = parsed.content;
  if (role === 'system' || parsed.metadata?.is_visually_hidden_from_conversation === true)
    return [{ kind: 'ignored', type: `${role} message out of sight` }];
  if (NOT_SAID.has(content_type)) return [{ kind: 'ignored', type: content_type }];
  const ignored: string[] = [];
  const parts = partsOf(parsed, ignored);
  if (parts.length === 0 && ignored.length === 0) return [];
  const turn: Turn = {
    kind: 'turn',
    role: role === 'assistant' ? 'assistant' : 'user',
    parts,
    id,
    at: isoOf(parsed.create_time),
    spoken: role === 'user',
    ignored,
    copyKey: UUID.test(id) ? { key: id, weak: false } : undefined,
  };
  return [turn];
}

function partsOf({ author, content, recipient, metadata }: Message, ignored: string[]): Part[] {
  const texts = textsOf(content, ignored);
  const { role, name } = author;
  if (role !== 'user' && role !== 'assistant')
    return texts.map((said) => ({
      kind: 'result',
      id: undefined,
      text: said,
      error: content.content_type === 'system_error',
    }));
  const parts = texts.map((said): Part => ({ kind: 'text', text: said }));
  const calls = role === 'assistant' && recipient !== undefined && recipient !== 'all';
  if (calls && parts.length > 0)
    parts.unshift({ kind: 'text', text: `[to ${oneLineOf(recipient) ?? name}]` });
  for (const { name: file } of metadata?.attachments ?? [])
    if (file !== undefined) parts.push({ kind: 'text', text: `[file: ${oneLineOf(file)}]` });
  return parts;
}

function textsOf(content: Message['content'], ignored: string[]): string[] {
  const { content_type: type, parts, thoughts } = content;
  const found: unknown[] = [];
  for (const part of Array.isArray(parts) ? parts : []) {
    const given = isObject(part) ? textOf(part.text) : textOf(part);
    if (given !== undefined) found.push(given);
    else if (isObject(part) && part.content_type === 'image_asset_pointer') found.push('[image]');
    else ignored.push(`${isObject(part) ? (textOf(part.content_type) ?? 'unknown') : typeof part} part`);
  }
  for (const thought of Array.isArray(thoughts) ? thoughts : [])
    if (isObject(thought)) {
      const said = [textOf(thought.summary), textOf(thought.content)].filter(Boolean).join('\n');
      found.push(said === '' ? '' : `[reasoning] ${said}`);
    }
  found.push(content.title, content.url, content.text, content.result, content.summary, content.content);
  const texts = found.filter((each): each is string => typeof each === 'string' && each.trim() !== '');
  if (texts.length === 0 && parts === undefined && thoughts === undefined) ignored.push(type);
  return texts;
}
