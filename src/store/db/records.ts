import type { IngestMode, Priority, PriorityOrigin, SourceKind } from '../../core/contract.js';
import type { TurnMark } from '../../core/turns.js';

/** What filing and filed sources share. */
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

/** What the palace remembers of a source, without its text. */
export interface FiledSource extends SourceFacts {
  id: number;
  /** How many it has. */
  drawers: number;
  /** Found in the source, not set by a person. */
  priority: Priority | null;
  priorityFrom: PriorityOrigin | null;
}

/** A source to be filed: everything but its drawers. */
export interface SourceRecord extends SourceFacts {
  /** Goes to the lexical index: the path in the project, or the session's folder. */
  place: string;
  priority?: Priority | null | undefined;
  /** What gave it that priority; null: unknown, as for what was filed before this was recorded. */
  priorityFrom?: PriorityOrigin | null | undefined;
  /** Default: `docs` or `convos`, as its kind is. */
  ingestMode?: IngestMode | undefined;
}

/** A drawer to be filed; its id follows from source key, text and occurrence. */
export interface DrawerDraft {
  text: string;
  /** SHA-256 of exactly the text that was embedded, 32 bytes. */
  vectorHash: Buffer;
  start: number;
  end: number;
  lineStart: number;
  lineEnd: number;
  context: string;
  contentDate: string | null;
  role: string | null;
}

/** A stretch of a source's whole text, compressed; joined in order they are the text. */
export interface TextPiece {
  hash: Buffer;
  body: Buffer;
}

/** Everything of a source that becomes visible together. */
export interface Filing {
  source: SourceRecord;
  messages: readonly string[];
  /** Of a conversation; absent where nobody knows who spoke. */
  turns?: readonly TurnMark[] | undefined;
  pieces: readonly TextPiece[];
  drafts: readonly DrawerDraft[];
  /** Length of the whole text in UTF-16 units. */
  chars: number;
  addedBy: string;
  /** Rewrite vectors and text although they are known. */
  refreshVectors: boolean;
}

/** The run that files: its id in the palace and the moment written beside what it files. */
export interface RunStamp {
  id: number;
  now: string;
}
