import type { TurnMark } from '../core/turns.js';

/**
 * The result of reading and chunking: the text of a source in consecutive segments with their chunks, so that a source
 * need not be in memory as a whole.
 */

/** Part of the skip key: raise it whenever any text, border or field below changes for the same input. */
export const CHUNKER_VERSION = 3;

/** The same for the turn marks of a conversation. */
export const TURNS_VERSION = 1;

export type Role = 'user' | 'assistant' | 'tool';

/** A unit of search: a verbatim slice of the source text. */
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
  /** The role of most of its text; conversations only. */
  role?: Role;
}

/** An unreadable part of a source. */
export interface Problem {
  /** 1-based line of the file; 0 for the file as a whole. */
  line: number;
  reason: string;
}

/** A stretch of source text. The palace stores the segments' texts, joined in order. */
export interface Segment {
  text: string;
  chunks: Chunk[];
  /** Ids of the messages that begin in it (conversations). */
  messages: string[];
  /** With offsets into the whole source text (conversations). */
  turns: TurnMark[];
  /** The front matter's title, or the first meaningful heading of a document; on the first segment. */
  title?: string;
  /** The last segment may have no text and only these. */
  problems: Problem[];
  /** Redactions made while reading, by kind. */
  redacted: Record<string, number>;
}
