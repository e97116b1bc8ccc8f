import type { HarnessName } from './names.js';
import type { Entry } from './turns.js';

/** A file that a transcript is read from. */
export interface OriginFile {
  /** Absolute. */
  path: string;
  mtimeMs: number;
  /** Bytes. */
  size: number;
}

/** The beginning of a file. */
export interface FileHead extends OriginFile {
  /** What its first lines hold as JSON objects or arrays, at most 50 of them within the first megabyte. */
  records: readonly unknown[];
  /** The first 64 KB as text where no line is JSON, else empty. */
  text: string;
  /** The first 64 KB of a file that is no JSONL, whatever they say; of another file empty. */
  beginning: string;
}

/** A conversation that a file holds, or holds a part of. */
export interface Identity {
  /** The prefix of its key, where it is not the harness's own name. */
  harness?: string | undefined;
  /** Undefined when nothing names it: then it is known by its path. */
  sessionId: string | undefined;
  /** Of a sub-agent's own transcript; it belongs to the session. */
  agentId?: string | undefined;
  /** The source key under which earlier releases filed it; what the palace has there leaves. */
  formerKey?: string | undefined;
  cwd?: string | undefined;
  /** When it was begun, ISO 8601: of two that hold the same message, the older is the original. */
  begun?: string | undefined;
  /** When it was changed last, epoch milliseconds, where that is not when its file was: an export is made at any time. */
  changedMs?: number | undefined;
  /** Sessions that it began as a copy of, where the harness names them. */
  copiedFrom?: readonly string[] | undefined;
  /** Where in the file it lies, in bytes, when the file holds several. */
  range?: { start: number; end: number } | undefined;
}

/** What a reader is given. */
export interface ConversationFiles {
  /** In the order in which they are to be read: the oldest first. */
  files: readonly (OriginFile & { range?: Identity['range'] })[];
  identity: Identity;
  /** Ids of the sub-agents of the session whose own transcripts are read with it. */
  agents: ReadonlySet<string>;
}

/** All that is particular to the transcripts of one program. */
export interface Harness {
  /** The prefix of source keys, and the argument of `--from`. */
  readonly name: HarnessName;
  /** For people. */
  readonly label: string;
  /** Raise it when the same files give other entries. */
  readonly version: number;
  /** The folders in which it keeps transcripts, whether they are there or not; the first is the usual one. */
  places(env: NodeJS.ProcessEnv): string[];
  /** Names of transcripts, as patterns of fast-glob, below a place or any other folder. */
  readonly patterns: readonly string[];
  /** False for files of such a name that hold nothing of their own; `names` are all that were found in the folder. */
  isTranscript?(path: string, has: (path: string) => boolean): boolean;
  /** Whether a file was written by this program. The first harness of the table that says so reads it. */
  recognises(head: FileHead): boolean;
  /** Whether a file can hardly be anything else, where `recognises` is generous: for a folder of unknown contents. */
  isCertain?(head: FileHead): boolean;
  /** The conversations in a file, from its beginning where that suffices. */
  identify(head: FileHead): Identity[] | Promise<Identity[]>;
  /** Whether no two messages have one id, unless one is a copy. Else `copyKey` alone tells copies. */
  readonly idsAreUnique: boolean;
  /** Several files with the same session: whether they belong together, or the newest holds all that the others do. */
  readonly sameSession: 'joined' | 'newest';
  /** Reads a conversation, an entry at a time; memory is bounded by its longest message. */
  read(conversation: ConversationFiles): AsyncIterable<Entry>;
  /** Files of the same session beside a transcript, for a hook that names that alone. */
  filesOfSession?(path: string, sessionId: string): string[] | Promise<string[]>;
}

const USUAL = {
  version: 1,
  places: () => [],
  patterns: ['**/*.jsonl'],
  idsAreUnique: false,
  sameSession: 'newest',
} satisfies Partial<Harness>;

/** A harness, of which only what is unusual is given. */
export function defineHarness(
  given: Omit<Harness, keyof typeof USUAL> & Partial<Pick<Harness, keyof typeof USUAL>>,
): Harness {
  return { ...USUAL, ...given };
}
