import type { FileAction } from '../activity/index.js';

/** `crash`: the transcript ends without an end. `auto`: the session ended. */
export type CheckpointType = 'compaction' | 'manual' | 'auto' | 'crash';

/** The program replaced the context by a summary. Tokens of the context, where the program records them. */
export interface Compaction {
  tokensBefore?: number | undefined;
  tokensAfter?: number | undefined;
}

export interface ChangedFile {
  /** As the last call named it, absolute or relative, without `.` and `..` within it. */
  path: string;
  action: Exclude<FileAction, 'read'>;
}

export interface OpenError {
  tool: string;
  /** The command that failed, or the file that could not be read or changed. */
  subject: string;
  message: string;
}

/** Where a session stood. Everything is quoted from its transcript. */
export interface Checkpoint extends Compaction {
  type: CheckpointType;
  /**
   * Position among the checkpoints of the session, from 1: one per compaction, and one for what follows the last.
   * Undefined if only the end of the transcript was read.
   */
  number: number | undefined;
  /** Line of the filed text that follows the checkpoint, from 1. */
  line?: number | undefined;
  /** Time of the last message, ISO 8601. */
  at?: string | undefined;
  branch?: string | undefined;
  /** The last requests of the user, oldest first. */
  asks: readonly string[];
  /** Items of the harness's own list that are neither completed nor cancelled. */
  todos: readonly string[];
  /** Changed since the last checkpoint, each once, in the order of their last change. */
  files: readonly ChangedFile[];
  /** Since the last checkpoint, without a later success. */
  errors: readonly OpenError[];
  /** The program's summary at the compaction. */
  summary?: string | undefined;
  /** What the user wanted to be kept. */
  note?: string | undefined;
}

/** Whether there is anything to tell. */
export function saysNothing({ asks, todos, files, errors, summary = '', note = '' }: Checkpoint): boolean {
  return [asks, todos, files, errors, summary, note].every(({ length }) => length === 0);
}
