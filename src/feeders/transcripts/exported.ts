import { open } from 'node:fs/promises';
import { parse } from 'jsonc-parser';
import { z } from 'zod';
import { messageOf } from '../../core/errors.js';
import { textOf } from '../../core/parts.js';
import { listItems } from '../../platform/json-list.js';
import type { ConversationFiles, FileHead, Identity } from './harness.js';
import { type Entry, isObject, isoOf, malformed, oneLineOf, type Turn } from './turns.js';

/** Larger conversations are not read: their text and what is made of it would be in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The member under which some exports keep their list. */
const LIST = 'conversations';

type Range = NonNullable<Identity['range']>;

/**
 * What the beginning of an export says, as far as it goes: the values at the beginning of its list of conversations,
 * and the document itself. The last of them is cut off.
 */
export function beginningOf({ beginning }: FileHead): { items: unknown[]; document: unknown } {
  if (!/^\uFEFF?\s*[[{]/.test(beginning)) return { items: [], document: undefined };
  const document: unknown = parse(beginning, [], { disallowComments: true });
  const list = Array.isArray(document) ? document : isObject(document) ? document[LIST] : undefined;
  return { items: Array.isArray(list) ? list : [document], document };
}

/**
 * The conversations of an export, each parsed for itself. One that cannot be identified is one without a session id,
 * so that its reader gets to say what is wrong with it.
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

/**
 * What is in this part of a file, or in the whole of it, as JSON.
 *
 * @throws Error with the reason when it is too large or not JSON; the file system's error when it cannot be read
 */
export async function readPiece(path: string, { start, end }: Range): Promise<unknown> {
  const text = await readText(path, { start, end });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`not JSON (cut off?): ${messageOf(error)}`);
  }
}

/** @throws Error with the reason when it is too large */
export async function readText(path: string, { start, end }: Range): Promise<string> {
  const size = end - start;
  if (size > MAX_BYTES) throw new Error('larger than 64 MB');
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, start);
    return buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}

/** Reads the files of a conversation one after the other; what is not readable is named with its place. */
export async function* eachPiece(
  { files }: ConversationFiles,
  read: (json: unknown) => Iterable<Entry>,
): AsyncGenerator<Entry> {
  for (const { path, size, range } of files) {
    let json: unknown;
    try {
      json = await readPiece(path, range ?? { start: 0, end: size });
    } catch (error) {
      const place = range === undefined ? '' : `the conversation at byte ${range.start}: `;
      yield malformed(`${place}${messageOf(error)}`);
      continue;
    }
    yield* read(json);
  }
}

/** A conversation as people find it again, whatever else is wrong with it. */
export function nameOf(json: unknown): string {
  if (!isObject(json)) return 'a value in place of a conversation';
  const title = oneLineOf(textOf(json.title) ?? textOf(json.name)) ?? 'untitled';
  const id = textOf(json.conversation_id) ?? textOf(json.uuid) ?? textOf(json.id);
  return `conversation ${JSON.stringify(title)}${id === undefined ? '' : ` (${id})`}`;
}

export const time = z.union([z.number(), z.string()]).nullish().catch(undefined);
type ExportedTime = z.infer<typeof time>;

/** Epoch milliseconds of epoch seconds or of a date that is written out; undefined for what is not a time. */
export function msOf(time: ExportedTime): number | undefined {
  const iso = timeOf(time);
  return iso === undefined ? undefined : Date.parse(iso);
}

/** The same in ISO 8601. */
export function timeOf(time: ExportedTime): string | undefined {
  return isoOf(typeof time === 'number' ? Math.round(time * 1_000) : (time ?? undefined));
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** How copies of a message are recognised, when its id is unique. */
export function uuidKey(id: string | undefined): Turn['copyKey'] {
  return id !== undefined && UUID.test(id) ? { key: id, weak: false } : undefined;
}

/** One line for a file beside a message. */
export function fileLine(name: string | undefined): string[] {
  const line = oneLineOf(name);
  return line === undefined ? [] : [`[file: ${line}]`];
}
