import type { TurnMark } from '../core/turns.js';

/**
 * What reading and chunking hand to the rest of the miner: the text of a source in consecutive segments,
 * each with the chunks that lie in it, so that no source need be in memory whole.
 */

/** Part of the skip key: raise it whenever any text, border or field below changes for the same input. */
export const CHUNKER_VERSION = 2;

/** The same for what is kept beside the text of a conversation. */
export const TURNS_VERSION = 1;

export type Role = 'user' | 'assistant' | 'tool';

/** A piece of a source to be found by search: a verbatim slice of the source text. */
export interface Chunk {
  text: string;
  /** UTF-16 offsets into the whole source text. */
  start: number;
  end: number;
  /** 1-based lines of the first and last character that is not white space, in the whole source text. */
  lineStart: number;
  lineEnd: number;
  /** For the lexical index: the heading path `A > B` of a document, or the question answered; at most 200 characters. */
  context: string;
  /** `YYYY-MM-DD` in UTC. */
  contentDate?: string;
  /** Who most of it is by; conversations only. */
  role?: Role;
}

/** Something in a source that could not be read. */
export interface Problem {
  /** 1-based line of the file; 0 for the file as a whole. */
  line: number;
  reason: string;
}

/** A stretch of source text. Joined in order, the segments' texts are what the palace keeps. */
export interface Segment {
  text: string;
  chunks: Chunk[];
  /** Ids of the messages that begin in it (conversations). */
  messages: string[];
  /** Who speaks from where on, in the whole source text (conversations). */
  turns: TurnMark[];
  /** Of a document: front matter title, else the first heading that says something; on the first segment. */
  title?: string;
  /** What could not be read; the last segment may be without text and carry only these. */
  problems: Problem[];
  /** Redactions made while reading, by kind. */
  redacted: Record<string, number>;
}
