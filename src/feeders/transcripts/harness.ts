import type { JsonLine } from '../../platform/jsonl.js';
import type { Entry } from './turns.js';

/** The values of `--from`. */
export const HARNESS_NAMES = ['claude-code', 'codex', 'copilot', 'gemini', 'kimi', 'kimi-code', 'pi', 'qwen'];

/** A file that a transcript is read from: absolute path, size in bytes. */
export interface OriginFile {
  path: string;
  mtimeMs: number;
  size: number;
}

export interface FileHead extends Omit<OriginFile, 'mtimeMs'> {
  /** The JSON objects and arrays of its first lines: at most 50, within the first megabyte. */
  records: readonly unknown[];
  /** The first 64 KB; empty for a JSONL file with records. */
  beginning: string;
}

/** Identifies a conversation that a file contains, wholly or in part. */
export interface Identity {
  /** The prefix of its source key, if it differs from the harness's name. */
  harness?: string | undefined;
  /** Undefined if the conversation has no id: then its path identifies it. */
  sessionId: string | undefined;
  /** Set for a sub-agent's own transcript. */
  agentId?: string | undefined;
  /** The source key that earlier releases used; the palace drops that source. */
  formerKey?: string | undefined;
  cwd?: string | undefined;
  /** Start time, ISO 8601. If two conversations contain the same message, the older one is the original. */
  begun?: string | undefined;
  /** Last change in epoch milliseconds, if it differs from the file's: an export can be made at any time. */
  changedMs?: number | undefined;
  /** Ids of sessions that it began as a copy of, if the harness names them. */
  copiedFrom?: string[] | undefined;
  /** Byte range in the file, if the file contains several conversations. */
  range?: { start: number; end: number } | undefined;
}

type PieceOfFile = OriginFile & { range?: Identity['range'] };

export interface ConversationFiles {
  /** Oldest first, the order in which they are read. */
  files: readonly [PieceOfFile, ...PieceOfFile[]];
  identity: Identity;
  /** Ids of the session's sub-agents that have their own transcripts. */
  agents: ReadonlySet<string>;
  /** If given, these lines are read in place of those of the JSONL files. */
  lines?: readonly JsonLine[];
}

export interface Harness {
  /** The prefix of source keys, and the argument of `--from`. */
  readonly name: string;
  readonly label: string;
  /** Raise it when the same files give other entries. Default: 1. */
  readonly version?: number;
  /** The folders that can contain its transcripts, existing or not; the usual one first. Absent for exports. */
  places?(env: NodeJS.ProcessEnv): string[];
  /** File name patterns (fast-glob) below a place or any other folder. */
  readonly patterns: readonly string[];
  /** False for a matching file without content of its own; `has` tests whether another file was found. */
  isTranscript?(path: string, has: (path: string) => boolean): boolean;
  /** Whether this program wrote the file. The first harness in `HARNESSES` that returns true reads it. */
  recognises(head: FileHead): boolean;
  /** A stricter test than `recognises`, for a folder with unknown contents. */
  isCertain?(head: FileHead): boolean;
  /** The conversations in a file; reads beyond the head only if necessary. */
  identify(head: FileHead): Identity[] | Promise<Identity[]>;
  /** True if two messages with the same id are always copies. Otherwise only `copyKey` identifies copies. */
  readonly idsAreUnique?: boolean;
  /** True if it reads several files of one session itself. Otherwise each is read, without those that others contain. */
  readonly joinsFiles?: boolean;
  /** Reads a conversation entry by entry; memory is bounded by its longest message. */
  read(conversation: ConversationFiles): AsyncIterable<Entry>;
  /** Other files that must be read with a transcript, for a hook that names only that one. */
  filesOfSession?(path: string, sessionId: string): string[] | Promise<string[]>;
}
