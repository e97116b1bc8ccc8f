import type { DerivedActivity } from '../../activity/index.js';
import type { IngestMode, PriorityOrigin, SourceKind } from '../../core/contract.js';
import type { Priority } from '../../core/importance.js';
import type { TextKind } from '../../core/text-kind.js';
import type { TurnMark } from '../../core/turns.js';

interface SourceFacts {
  sourceKey: string;
  sourceFile: string;
  origin: string;
  kind: SourceKind;
  wing: string;
  room: string;
  projectId: string | null;
  title: string | null;
  sessionId: string | null;
  directory: string | null;
  mtimeMs: number;
  bytes: number;
  hash: string;
  versions: string;
}

/** A filed source without its text. */
export interface FiledSource extends SourceFacts {
  id: number;
  /** Length of the whole text in UTF-16 units. */
  chars: number;
  drawers: number;
  /** Found in the source, not set by the user. */
  priority: Priority | null;
  priorityFrom: PriorityOrigin | null;
  /** Of a document, found when it is filed; null for a conversation. */
  textKind: TextKind | null;
  /** Of a document, by its project's watchdog manifest. */
  givenType: string | null;
}

/** What decides whether a conversation has changed. */
export type FiledConversation = Pick<
  FiledSource,
  'sourceKey' | 'sessionId' | 'wing' | 'mtimeMs' | 'hash' | 'versions' | 'directory'
>;

export interface SourceRecord extends SourceFacts {
  /** For the lexical index: the path in the project, or the session's folder. */
  place: string;
  priority?: Priority | null | undefined;
  /** Origin of the priority; null: not known, as for sources that were filed before it was recorded. */
  priorityFrom?: PriorityOrigin | null | undefined;
  /** Of a document, by its project's watchdog manifest. */
  givenType?: string | null | undefined;
  /** Key of the session that started it as a sub-agent, where the key does not say so. */
  parentKey?: string | undefined;
  /** Keys of the sessions that contain the messages which it copied. */
  standsIn?: readonly string[] | undefined;
  /** Default: `docs` or `convos`, by kind. */
  ingestMode?: IngestMode | undefined;
}

export interface DrawerDraft {
  text: string;
  /** SHA-256 of the embedded text, 32 bytes. */
  vectorHash: Buffer;
  start: number;
  end: number;
  lineStart: number;
  lineEnd: number;
  context: string;
  contentDate: string | null;
  role: string | null;
}

export interface TextPiece {
  hash: Buffer;
  body: Buffer;
}

export interface Filing {
  source: SourceRecord;
  messages: readonly string[];
  /** Of a conversation; absent if not known. */
  turns?: readonly TurnMark[] | undefined;
  /** Of a conversation; absent if not derived. */
  activity?: DerivedActivity | undefined;
  pieces: readonly TextPiece[];
  drafts: readonly DrawerDraft[];
  /** Length of the whole text in UTF-16 units. */
  chars: number;
  addedBy: string;
  /** Rewrite vectors and text even if they exist. */
  refreshVectors: boolean;
}

/** The run that files: its id, and the time for the filed rows. */
export interface RunStamp {
  id: number;
  now: string;
}
