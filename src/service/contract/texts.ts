/** Sources and drawers as clients of a palace get them. */
import type { SourceKind } from '../../core/contract.js';
import type { Priority } from '../../core/importance.js';
import type { TextKind } from '../../core/text-kind.js';
import type { TurnMark } from '../../core/turns.js';

/** What a drawer and its source have in common. */
interface Place {
  sourceKey: string;
  sourceFile: string;
  origin: string;
  kind: SourceKind;
  textKind: TextKind | null;
  wing: string;
  room: string;
  sessionId: string | null;
  directory: string | null;
}

/** A passage of a source, word for word. */
export interface Drawer extends Place {
  drawerId: string;
  title: string;
  place: string;
  text: string;
  context: string;
  chunkIndex: number;
  lineStart: number;
  lineEnd: number;
  /** Position in the source's whole text, UTF-16 units. */
  charStart: number;
  charEnd: number;
  contentDate: string | null;
  /** Date of its content, else the day of its source's last change. */
  day: string;
  role: string | null;
  priority: Priority | null;
  pinned: boolean;
  /** Marks within its text, with the one that is running at its beginning; null for a document, and where unknown. */
  turns: TurnMark[] | null;
}

export interface Source extends Place {
  title: string | null;
  mtimeMs: number;
  hash: string;
  /** Length of the whole text, UTF-16 units. */
  chars: number;
  drawers: number;
}

/** A drawer with its neighbours. */
export interface DrawerPlace {
  drawer: Drawer;
  /** Number of drawers in its source. */
  count: number;
  /** The drawer and its neighbours, in the order of the source. */
  passage: Drawer[];
  /** Ids of the drawers before and after the passage; null at the source's ends. */
  previous: string | null;
  next: string | null;
}

/** A source without its text. */
export interface ShownSource {
  kind: 'source';
  source: Source;
  /** The user's, else the one that is found in it. */
  priority: Priority | null;
  pinned: boolean;
  /** Null for a document, and where unknown. */
  turns: TurnMark[] | null;
  /** Where its text is dated. */
  dates: { charStart: number; contentDate: string }[];
}

export type Shown = (DrawerPlace & { kind: 'drawer' }) | ShownSource;
