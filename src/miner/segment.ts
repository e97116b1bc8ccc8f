import type { TurnMark } from '../core/turns.js';
import type { DrawerDraft } from '../store/index.js';

/** Part of the skip key: raise it whenever any text, border or field below changes for the same input. */
export const CHUNKER_VERSION = 4;

/** The same for the turn marks of a conversation. */
export const TURNS_VERSION = 2;

/**
 * A unit of search: a verbatim slice of the source text. Offsets (UTF-16) and 1-based lines are those of the whole text;
 * the lines are those of the first and last character that is not white space. `context` is for the lexical index: the
 * heading path `A > B` of a document, or the question answered, at most 200 characters. `contentDate` is `YYYY-MM-DD`,
 * a day of the user; `role` is that of most of its text, in conversations.
 */
export type Chunk = Omit<DrawerDraft, 'vectorHash'>;

/**
 * A stretch of source text, so that a source need not be in memory as a whole. The palace stores the segments' texts,
 * joined in order.
 */
export interface Segment {
  text: string;
  chunks: Chunk[];
  /** Ids of the messages that begin in it (conversations). */
  messages: string[];
  /** With offsets into the whole source text (conversations). */
  turns: TurnMark[];
  /** The front matter's title, or the first meaningful heading of a document; on the first segment. */
  title?: string | undefined;
  /** Unreadable lines of the file; 0 for the file as a whole. The last segment may have no text and only these. */
  problems: { line: number; reason: string }[];
  /** Redactions made while reading, by kind. */
  redacted: Record<string, number>;
}
