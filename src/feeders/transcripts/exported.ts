import { parse } from 'jsonc-parser';
import { messageOf } from '../../core/errors.js';
import * as field from '../../core/fields.js';
import { listItems } from '../../platform/json-list.js';
import type { ConversationFiles, FileHead, Identity } from './harness.js';
import { readText } from './head.js';
import { type Entry, isObject, isoOf, malformed, oneLineOf, type Turn } from './turns.js';

const LIST = 'conversations';

type Range = NonNullable<Identity['range']>;

/** Parses the beginning of an export: the first items of its list, and the document. The last item may be incomplete. */
export function beginningOf({ beginning }: FileHead): { items: unknown[]; document: unknown } {
  if (!/^\uFEFF?\s*[[{]/.test(beginning)) return { items: [], document: undefined };
  const document: unknown = parse(beginning, [], { disallowComments: true });
  const list = Array.isArray(document) ? document : isObject(document) ? document[LIST] : undefined;
  return { items: Array.isArray(list) ? list : [document], document };
}

/**
 * Identifies the conversations of an export, each parsed alone. One that cannot be identified gets no session id;
 * its reader then reports what is wrong.
 */
export async function identifyEach(
  { path, size }: FileHead,
  identify: (json: unknown) => Omit<Identity, 'range'> | undefined,
): Promise<Identity[]> {
  const identities: Identity[] = [];
  const add = async (range: Range, named: Range | undefined) => {
    const json = await readPiece(path, range).catch(() => undefined);
    identities.push({ ...(identify(json) ?? { sessionId: undefined }), range: named });
  };
  for await (const { start, end } of listItems(path, LIST)) await add({ start, end }, { start, end });
  if (identities.length === 0) await add({ start: 0, end: size }, undefined);
  return identities;
}

/** Parses a byte range of a file as JSON. @throws Error when it is too large, not JSON or unreadable */
export async function readPiece(path: string, { start, end }: Range, most?: number): Promise<unknown> {
  const text = await readText(path, start, end, most);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`not JSON (cut off?): ${messageOf(error)}`);
  }
}

/** Reads the files of a conversation in order, and reports unreadable ones with their position. */
export async function* eachPiece(
  { files }: ConversationFiles,
  read: (json: unknown) => Iterable<Entry>,
): AsyncGenerator<Entry> {
  for (const { path, size, range } of files) {
    let json: unknown;
    try {
      json = await readPiece(path, range ?? { start: 0, end: size });
    } catch (error) {
      const position = range === undefined ? '' : `the conversation at byte ${range.start}: `;
      yield malformed(`${position}${messageOf(error)}`);
      continue;
    }
    yield* read(json);
  }
}

/** Title and id of a conversation for messages, also when the rest of it is malformed. */
export function nameOf(json: unknown): string {
  if (!isObject(json)) return 'a value instead of a conversation';
  const title = oneLineOf(field.text(json.title) ?? field.text(json.name)) ?? 'untitled';
  const id = field.text(json.conversation_id) ?? field.text(json.uuid) ?? field.text(json.id);
  return `conversation ${JSON.stringify(title)}${id === undefined ? '' : ` (${id})`}`;
}

/** Epoch milliseconds from epoch seconds or a written date; undefined if it is not a time. */
export function msOf(time: unknown): number | undefined {
  const iso = timeOf(time);
  return iso === undefined ? undefined : Date.parse(iso);
}

/** The same in ISO 8601. */
export function timeOf(time: unknown): string | undefined {
  return isoOf(typeof time === 'number' ? Math.round(time * 1_000) : field.text(time));
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** The copy key of a message whose id is a UUID. */
export function uuidKey(id: string | undefined): Turn['copyKey'] {
  return id !== undefined && UUID.test(id) ? { key: id, weak: false } : undefined;
}

export function fileLine(name: string | undefined): string[] {
  const line = oneLineOf(name);
  return line === undefined ? [] : [`[file: ${line}]`];
}
