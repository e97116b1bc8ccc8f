import type { Compaction } from '../../checkpoint/record.js';
import { type Part, textPart } from '../../core/parts.js';

export { isRecord as isObject } from '../../core/json.js';

/** Identifies copies of a message to which a harness gives new ids. */
interface CopyKey {
  /** Shared by all copies, and unique among the messages of this harness. */
  key: string;
  /** Made from the words alone, so not unique. Counts only at the beginning of a transcript, among certain copies. */
  weak: boolean;
}

/** One record that says or does something. A message may consist of several. */
export interface Turn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  id?: string;
  /** As written; ISO 8601. */
  at?: string;
  /** The user's words or an agent's task: starts an exchange. */
  spoken: boolean;
  /** Id that the records of one message share. Without it, consecutive records of the assistant are one message. */
  message?: string;
  /** Written by a program: does not count as a message. */
  synthetic?: boolean;
  /** Of a sub-agent within its session's transcript. */
  subagent?: boolean;
  copyKey?: CopyKey;
  /** Id of the original message, if the harness names it. */
  copyOf?: string;
  /** The program's summary of everything before it. */
  compaction?: Compaction;
}

/** A fact about the whole conversation. The title with the highest rank wins; among equal ranks the last. */
interface Fact {
  kind: 'fact';
  title?: { text: string; rank: number };
  cwd?: string;
  /** The branch of git from here on. */
  branch?: string;
  /** A compaction whose summary is not recorded. */
  compaction?: Compaction;
  /** Why the file is not a session and is skipped. */
  noSession?: string;
}

/** A program's summary of earlier messages. With a copy key it is numbered among the turns. */
interface Summary {
  kind: 'summary';
  text: string;
  copyKey?: CopyKey;
  compaction?: Compaction;
}

/** `line` is 1-based; 0 for the file as a whole. */
type Malformed = { kind: 'malformed'; line: number; reason: string };

/** What a harness's reader yields; not sanitised. */
export type Entry = Turn | Fact | Summary | Malformed;

export function turn(role: Turn['role'], parts: Part[] | string, more: Partial<Turn> = {}): Turn {
  const said = typeof parts === 'string' ? [textPart(parts)] : parts;
  return { kind: 'turn', role, parts: said, spoken: false, ...more };
}

/** A title fact, if the text is not empty. */
export function titled(text: string | null | undefined, rank = 1): Entry[] {
  return text ? [{ kind: 'fact', title: { text, rank } }] : [];
}

export function malformed(reason: string, line = 0): Malformed {
  return { kind: 'malformed', line, reason };
}

/** The texts of the parts, one per line. */
export function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n');
}

/** Text on one line; undefined when nothing is left. */
export function oneLineOf(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, ' ').trim() || undefined;
}

/** ISO 8601 from epoch milliseconds or a written date; undefined if it is not a time. */
export function isoOf(time: number | string | undefined): string | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : (time ?? Number.NaN);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}
