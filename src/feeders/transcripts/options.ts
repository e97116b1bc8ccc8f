import type { Skipped } from '../../core/contract.js';
import type { TimeIsUp } from '../../core/time-up.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { StagedBefore } from './fingerprint.js';
import type { Harness, Identity, OriginFile } from './harness.js';

export const DEFAULT_WING = 'wing_conversations';

/** Where transcripts are looked for. */
export interface Place {
  /** Absolute. */
  folder: string;
  /** Only what this program wrote. */
  harness?: Harness | undefined;
}

/** What the palace holds of a conversation. */
interface FiledConversation {
  wing: string;
  mtimeMs: number;
  hash: string;
  versions: string;
}

/** What the palace holds, handed in. */
export interface FiledConversations {
  get(sourceKey: string): FiledConversation | undefined;
  /** Ids of the messages, and copy keys, that a source was filed with. */
  messagesOf(sourceKey: string): readonly string[];
  /** The same of every source whose key begins so. */
  messagesOfAll(prefix: string): Iterable<{ sourceKey: string; messages: readonly string[] }>;
}

export interface TranscriptOptions {
  places: readonly Place[];
  /** Absolute paths: only these files, wherever they lie. */
  files?: readonly string[] | undefined;
  /** Passes over sessions with fewer messages. */
  minMessages: number;
  /** Only files changed at or after this time, epoch milliseconds. */
  since?: number | undefined;
  /** Overrides the wing that holds a source already, and the default. */
  wing?: string | undefined;
  /** Overrides the name of the folder in which the session was held. */
  room?: string | undefined;
  filed: FiledConversations;
  /** Source keys that are not to be filed, nor what others copied of them. */
  forgotten?: ReadonlySet<string> | undefined;
  sanitiser: Sanitiser;
  /** The cache root. */
  cache: string;
  force: boolean;
  /** Named to others that wait for the staging folder's lock. */
  command: string;
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** Asked after each transcript that was written; then no other one is begun. */
  timeIsUp?: TimeIsUp | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A file that a conversation is in, or a part of it. */
interface ConversationFile extends OriginFile {
  range?: Identity['range'];
  /** Conversations in the file. */
  holds: number;
  changedMs?: number | undefined;
}

/** When a file's part of a conversation was changed, epoch milliseconds. */
export function changedOf({ changedMs, mtimeMs }: Pick<ConversationFile, 'changedMs' | 'mtimeMs'>): number {
  return changedMs ?? mtimeMs;
}

/** A conversation that becomes a source: a session, or a sub-agent's part of one. */
export interface Conversation {
  /** `<harness>:<session id>` or `<harness>:<session id>/<agent id>`. */
  sourceKey: string;
  /** `<harness>:<session id>`. */
  sessionKey: string;
  harness: Harness;
  identity: Identity;
  /** The oldest first. */
  files: ConversationFile[];
  /** What an earlier run staged of it, in whichever wing. */
  before: StagedBefore | undefined;
  /** Sub-agents of the same session that have transcripts of their own. */
  agents: ReadonlySet<string>;
}

/** A conversation that this run stages. Texts are as found: not sanitised. */
export interface WorkItem {
  conversation: Conversation;
  wing: string;
  mtimeMs: number;
  /** True when what lies staged is right. */
  current: boolean;
  /** Hash of what shapes the session's transcripts. */
  session: string;
  title: string | undefined;
  directory: string | undefined;
  messages: number;
  /** Stretches of turns (by number, the end not included) that others hold. */
  leftOut: readonly (readonly [number, number])[];
  /** How many of them are at the very beginning. */
  covered: number;
  standsIn: readonly string[];
  /** Names by which copies of its messages are told, beside their ids. */
  copyKeys: readonly string[];
  status: 'new' | 'changed' | 'unchanged';
}

/** What is to be staged. */
export interface TranscriptSurvey {
  items: WorkItem[];
  /** Filed copies that others hold entirely now. */
  contained: { wing: string; sourceKey: string; standsIn: string[] }[];
  /** Everything that was passed over, and why. */
  skipped: Skipped[];
  /** Files of a name that a transcript may have. */
  candidates: number;
  /** Other wings in whose staging folders a source lies. */
  wingsOf(sourceKey: string): string[];
}
