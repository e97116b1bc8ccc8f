import type { DataRow, SessionRow } from './schema.js';

/** A larger part or message is never loaded. */
export const PART_LIMIT_BYTES = 32 * 1024 * 1024;
/** The beginning of a tool call's JSON, as opencode writes it. */
export const TOOL_PART = '{"type":"tool"';

export interface Change {
  messages: number;
  parts: number;
  /** Latest change of session, messages and parts, epoch milliseconds. The session's own time lags behind. */
  changedMs: number;
  /** Time of the oldest message; in a fork, older than the session. */
  firstMs: number | undefined;
  /** Bytes of JSON in the parts. */
  bytes: number;
  /** What else shows a change: for a session in files, a hash of their sizes and times. May be empty. */
  stamp: string;
  /** Some of its times are after the database's own: `changedMs` does not show every change. */
  misdated: boolean;
}

/** Undefined if a row's id is not text: such a row cannot be queried. */
export type RowId = string | undefined;

export interface UnparsedSession {
  id: string;
  why: string;
}

export interface SessionList {
  sessions: SessionRow[];
  unparsed: UnparsedSession[];
}

export interface MessageEntry {
  id: RowId;
  /** Epoch milliseconds. Undefined if no message of the session has a believable time. */
  timeMs: number | undefined;
}

/** Is given the JSON of a part that may be text: null if it is unreadable or too large. */
export type Judge = (part: { message_id: string | null; data: string | null }) => void;

/** The messages of sessions, as rows of opencode 1.x and in order, whatever the layout of the database. */
export interface History {
  readonly path: string;
  messageList(sessionId: string): MessageEntry[];
  /** A message or part is undefined when its row is malformed. */
  message(id: string, sessionId: string): DataRow | undefined;
  partIds(messageId: string): RowId[];
  part(id: string, messageId: string): DataRow | undefined;
  /** Ids of a session's parts without a message: the message or the reference was lost. */
  strayPartIds?(sessionId: string): RowId[];
  /** Ids of messages that it contains under another id, as an upgrade gave them new ones; none if absent. */
  renamedIds?(): readonly string[];
  /** Latest change of a message and its parts, epoch milliseconds. */
  messageChangedMs(id: string): number;
  /** The whole output of a tool that opencode cut; undefined if its file is gone. @param path as recorded */
  wholeOutput?(path: string): string | undefined;
  /**
   * Roles of a session's messages in order, undefined for an unreadable row; gives `judge` the parts that may be text, and
   * only `TOOL_PART` of tool calls. Absent where each row must be asked for.
   */
  messageRoles?(sessionId: string, judge: Judge): { id: string; role?: string | undefined }[];
}

/** A history with all its sessions: a layout of a database, or the JSON files of 1.1. */
export interface SessionHistory extends History {
  /** Sessions in two histories of one layout have the same ids for the same messages. */
  readonly layout: 'parts' | 'sequence';
  /** Undefined if no session has this id, or its row is malformed. */
  session(id: string): SessionRow | undefined;
  sessions(): SessionList;
  /** The change of each session, by a few grouped queries. */
  changes(sessions: readonly SessionRow[]): Map<string, Change>;
  /** The sessions with a message at exactly one of these times. */
  sessionsAt(times: readonly number[]): { session_id: string; time_created: number }[];
  /**
   * Ids of messages without parts, although the layout has rows for parts, and of those with a row that is damaged, empty or
   * unfinished. Another history may contain more of them.
   */
  incompleteMessages?(sessionId: string): string[];
  /** Also ends the other histories of the same database. */
  close(): void;
}

export interface Copy {
  row: SessionRow;
  change: Change;
  history: SessionHistory;
}
