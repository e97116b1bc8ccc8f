import { z } from 'zod';
import { type Part, textPart } from '../../core/parts.js';

/** How copies of a message are recognised where a harness gives them new ids. */
interface CopyKey {
  /** The same for every copy, and for nothing else of this harness. */
  key: string;
  /**
   * Made of the words alone: other messages may have the same. It counts at the beginning of a transcript only,
   * before or beside messages that are known to be copies.
   */
  weak: boolean;
}

/** One record that says or does something. A message may come as several. */
export interface Turn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  /** Stored with the source. */
  id?: string;
  /** As written; ISO 8601. */
  at?: string;
  /** A person's words or an agent's task: it starts an exchange. */
  spoken: boolean;
  /** Name that the records of one message share. Without one, an assistant's records in a row are one message. */
  message?: string;
  /** Written by a program in somebody's name: it does not count as a message. */
  synthetic?: boolean;
  /** How copies are recognised, beside `id`. */
  copyKey?: CopyKey;
  /** The id of the message that this one is a copy of, where the harness names the original. */
  copyOf?: string;
}

/** What is known of the conversation as a whole. The title of the highest rank counts, of equal ranks the last. */
interface Fact {
  kind: 'fact';
  title?: { text: string; rank: number };
  cwd?: string;
  /** Why the file is not a session and is skipped. */
  noSession?: string;
}

/** What a program wrote about what was said before. With a key it is numbered among the turns. */
interface Summary {
  kind: 'summary';
  text: string;
  copyKey?: CopyKey;
}

/** `line` is 1-based; 0 for the file as a whole. */
type Malformed = { kind: 'malformed'; line: number; reason: string };

/** What a harness's reader makes of a transcript, before anything is cleaned. */
export type Entry = Turn | Fact | Summary | Malformed;

export function turn(role: Turn['role'], parts: Part[] | string, more: Partial<Turn> = {}): Turn {
  const said = typeof parts === 'string' ? [textPart(parts)] : parts;
  return { kind: 'turn', role, parts: said, spoken: false, ...more };
}

/** A title of the conversation, when there is one. */
export function titled(text: string | null | undefined, rank = 1): Entry[] {
  return text ? [{ kind: 'fact', title: { text, rank } }] : [];
}

export function malformed(reason: string, line = 0): Malformed {
  return { kind: 'malformed', line, reason };
}

/** The texts of some parts, a line each. */
export function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n');
}

/** Text on one line; undefined when nothing is left. */
export function oneLineOf(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, ' ').trim() || undefined;
}

/** A field that is dropped when it is not what it should be. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
export const optionalText = maybe(z.string());
export const optionalName = maybe(z.string().min(1));

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** ISO 8601 of epoch milliseconds or of a date that is written out; undefined for what is not a time. */
export function isoOf(time: number | string | undefined): string | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : (time ?? Number.NaN);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}
