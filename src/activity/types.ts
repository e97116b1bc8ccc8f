import type { Part } from '../core/parts.js';

/** A turn of a transcript, as the reader of staged transcripts yields it. */
export interface ActivityTurn {
  role: 'user' | 'assistant';
  /** False for text that a program put in the user's name. */
  spoken: boolean;
  parts: readonly Part[];
  /** Of a sub-agent within its session's transcript: it has a list of its own, and touches the same files. */
  subagent?: boolean | undefined;
}

export type FileAction = 'read' | 'written' | 'edited' | 'deleted' | 'renamed';

export interface FileTouch {
  /** As the call says it, absolute or relative. Of a renamed file: its new path. */
  path: string;
  action: FileAction;
  from?: string;
}

/** Where in a transcript: numbers from 0, over all turns and over all calls of tools. */
interface Place {
  turn: number;
  call: number;
}

export interface TouchedFile extends FileTouch, Place {}

export interface Failure extends Place {
  /** `shell` for every tool that runs commands, otherwise the tool's name in lower case without punctuation. */
  tool: string;
  /** As the tool reported it, at most 4,000 UTF-16 units. */
  message: string;
  /** The message without what differs between two occurrences of the same error. */
  readonly masked: string;
  /** The same for failures of the same tool with the same masked message; undefined if the message has no words. */
  readonly signature: string | undefined;
  /** The command that failed, at most 2,000 UTF-16 units. */
  command: string | undefined;
  file: string | undefined;
  /** The first later success of the same command, or of the same kind of access to the same file. */
  fix: Fix | undefined;
}

export interface Fix extends Place {
  /** Files that were changed after the failure and before the success, each change once, in order. */
  edits: TouchedFile[];
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';

export interface Todo {
  text: string;
  status: TodoStatus;
}

export interface Ask {
  text: string;
  turn: number;
}
