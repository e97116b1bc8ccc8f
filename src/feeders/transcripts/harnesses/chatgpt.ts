import * as field from '../../../core/fields.js';
import { sha256 } from '../../../core/hash.js';
import { type Part, textPart } from '../../../core/parts.js';
import { type TreeNode, treeExport } from '../branches.js';
import { fileLine, msOf, nameOf, timeOf, uuidKey } from '../exported.js';
import { type Entry, malformed, oneLineOf, turn } from '../turns.js';

const NOT_SAID = new Set(['user_editable_context', 'model_editable_context', 'reasoning_recap']);

/** The export of ChatGPT, `conversations.json`: a list of conversations, each a tree of messages. Reads all branches. */
export const chatGpt = treeExport(
  {
    name: 'chatgpt',
    label: 'ChatGPT exports',
    recognises: (items) => items.some((item) => field.object(item, 'mapping') !== undefined),
  },
  (json) => {
    const mapping = field.object(json, 'mapping');
    if (mapping === undefined) return 'not a conversation of ChatGPT (no mapping)';
    const begun = timeOf(field.value(json, 'create_time'));
    // Without an id, a hash of data that does not change when the conversation grows.
    const made = () => sha256(JSON.stringify([begun, Object.keys(mapping)[0]])).slice(0, 24);
    const sessionId = field.name(json, 'conversation_id') ?? field.name(json, 'id') ?? made();
    return {
      title: field.name(json, 'title'),
      identity: { sessionId, begun, changedMs: msOf(field.value(json, 'update_time')) },
      nodes: () => nodesOf(mapping, nameOf(json)),
    };
  },
);

/** Sorted so that branches are in the order of their creation, which is the order in their parents' lists. */
function nodesOf(mapping: field.Fields, name: string): TreeNode[] {
  const parents = new Map<string, string>();
  const childrenOf = (node: unknown) => {
    const children = field.list(node, 'children');
    return children.every((child) => typeof child === 'string') ? children : [];
  };
  const order = new Set<string>();
  for (const [id, node] of Object.entries(mapping)) {
    order.add(id);
    for (const child of childrenOf(node)) {
      if (!parents.has(child)) parents.set(child, id);
      if (Object.hasOwn(mapping, child)) order.add(child);
    }
  }
  return [...order].map((id) => {
    const own = field.name(mapping[id], 'parent');
    const parent = own !== undefined && Object.hasOwn(mapping, own) ? own : parents.get(id);
    const entries = field.object(mapping[id]) && entriesOf(id, field.value(mapping[id], 'message'));
    return { id, parent, entries: entries ?? [malformed(`${name}: message ${id} cannot be read`)] };
  });
}

/** Undefined for a message that cannot be read. */
function entriesOf(id: string, message: unknown): Entry[] | undefined {
  if (message === null || message === undefined) return [];
  const author = field.text(message, 'author', 'role');
  const content = field.object(message, 'content');
  if (author === undefined || content === undefined) return undefined;
  const isHidden = field.value(message, 'metadata', 'is_visually_hidden_from_conversation') === true;
  if (author === 'system' || isHidden || NOT_SAID.has(field.text(content.content_type) ?? '')) return [];
  const { texts, complete } = textsOf(content);
  const parts = partsOf(message, author, texts);
  if (parts.length === 0 && complete) return [];
  const at = timeOf(field.value(message, 'create_time'));
  const role = author === 'assistant' ? 'assistant' : 'user';
  return [turn(role, parts, { id, at, spoken: author === 'user', copyKey: uuidKey(id) })];
}

function partsOf(message: unknown, author: string, texts: string[]): Part[] {
  const error = field.text(message, 'content', 'content_type') === 'system_error';
  if (author !== 'user' && author !== 'assistant')
    return texts.map((text) => ({ kind: 'result', id: undefined, text, error }));
  const recipient = field.name(message, 'recipient') ?? 'all';
  const calls = author === 'assistant' && recipient !== 'all' && texts.length > 0;
  const to = calls ? [`[to ${oneLineOf(recipient) ?? field.name(message, 'author', 'name')}]`] : [];
  const attachments = field.objects(message, 'metadata', 'attachments');
  const files = attachments.flatMap((file) => fileLine(field.text(file.name)));
  return [...to, ...texts, ...files].map(textPart);
}

/** The texts of a content; not complete if a part has an unknown type. */
function textsOf({ parts, thoughts, ...content }: field.Fields): { texts: string[]; complete: boolean } {
  const found: unknown[] = [];
  let complete = true;
  for (const part of field.list(parts)) {
    const given = field.text(part) ?? field.text(part, 'text');
    if (given !== undefined) found.push(given);
    else if (field.text(part, 'content_type') === 'image_asset_pointer') found.push('[image]');
    else complete = false;
  }
  for (const thought of field.list(thoughts)) {
    const said = [field.text(thought, 'summary'), field.text(thought, 'content')].filter(Boolean).join('\n');
    found.push(said === '' ? '' : `[reasoning] ${said}`);
  }
  found.push(content.title, content.url, content.text, content.result, content.summary, content.content);
  const texts = found.filter((each): each is string => typeof each === 'string' && each.trim() !== '');
  return { texts, complete: complete && (texts.length > 0 || parts !== undefined || thoughts !== undefined) };
}
