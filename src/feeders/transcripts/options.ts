import type { Skipped } from '../../core/contract.js';
import type { ReadAhead } from '../staging/read-staged.js';
import type { ConversationOptions } from '../staging/wings.js';
import type { ConversationFiles, Harness, Identity, OriginFile } from './harness.js';

/** A folder (absolute) that is searched for transcripts, of one program if `harness` is given. */
export interface Place {
  folder: string;
  harness?: Harness | undefined;
}

interface FiledConversation {
  wing: string;
  mtimeMs: number;
  hash: string;
  versions: string;
  directory?: string | null | undefined;
}

export interface FiledConversations {
  get(sourceKey: string): FiledConversation | undefined;
  /** The message ids and copy keys that a source was filed with. */
  messagesOf(sourceKey: string): readonly string[];
  /** The same for every source whose key has this prefix. */
  messagesOfAll(prefix: string): Iterable<{ sourceKey: string; messages: readonly string[] }>;
}

export interface TranscriptOptions extends ConversationOptions {
  places: readonly Place[];
  /** Absolute paths: reads only these files. */
  files?: readonly string[] | undefined;
  room?: string | undefined;
  filed: FiledConversations;
}

export interface ConversationFile extends OriginFile {
  range?: Identity['range'];
  holds: number;
  changedMs?: number | undefined;
}

/** Last change of a file's part of a conversation, epoch milliseconds. */
export function changedOf({ changedMs, mtimeMs }: Pick<ConversationFile, 'changedMs' | 'mtimeMs'>): number {
  return changedMs ?? mtimeMs;
}

/** A conversation that becomes a source: a session, or a sub-agent's part of one. */
export interface Conversation extends ConversationFiles {
  /** `<harness>:<session id>` or `<harness>:<session id>/<agent id>`. */
  sourceKey: string;
  /** `<harness>:<session id>`. */
  sessionKey: string;
  harness: Harness;
  files: [ConversationFile, ...ConversationFile[]];
  /** Files of the session that these contain. */
  copies: readonly ConversationFile[];
}

/** A conversation that this run stages. Its texts are not sanitised. */
export interface WorkItem {
  conversation: Conversation;
  wing: string;
  mtimeMs: number;
  current: boolean;
  /** Hash of the inputs of the session's transcripts. */
  session: string;
  title: string | undefined;
  directory: string | undefined;
  messages: number;
  /** Numbers of the turns that other sources contain. */
  leftOut: ReadonlySet<number>;
  standsIn: readonly string[];
  copyKeys: readonly string[];
  status: 'new' | 'changed' | 'unchanged';
}

export interface TranscriptSurvey {
  items: WorkItem[];
  /** Filed copies that other sources now contain completely. */
  contained: { wing: string; sourceKey: string; standsIn: string[]; leftOut?: string[] | undefined }[];
  skipped: Skipped[];
  /** Number of files whose name a transcript can have. */
  candidates: number;
  /** Those of the items and contained copies, also the ones in which earlier runs staged them. */
  wings: ReadonlySet<string>;
  manifests: ReadAhead;
}
