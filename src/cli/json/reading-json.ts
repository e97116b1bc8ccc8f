import { speakersIn } from '../../reading/index.js';
import type { DrawerView, SourceView } from '../../store/index.js';
import type { TurnsOf } from '../terminal/passage.js';

/** A drawer as `show` and `timeline` give it under --json; see docs/json-output.md. */
export function drawerJson(drawer: DrawerView, turnsOf: TurnsOf): Record<string, unknown> {
  return {
    drawer_id: drawer.drawerId,
    chunk_index: drawer.chunkIndex,
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
    role: drawer.role,
    context: drawer.context === '' ? null : drawer.context,
    priority: drawer.priority,
    pinned: drawer.pinned === 1,
    turns: turnsJson(drawer, turnsOf),
    text: drawer.text,
  };
}

/** Who speaks from where on in a drawer's text; null for a document, and where it is not known. */
export function turnsJson(drawer: DrawerView, turnsOf: TurnsOf): string[] | null {
  const turns = drawer.kind === 'conversation' ? turnsOf(drawer.sourceId) : undefined;
  return turns === undefined ? null : speakersIn(drawer, turns);
}

type SourceFacts = Pick<
  SourceView,
  'sourceKey' | 'sourceFile' | 'origin' | 'kind' | 'wing' | 'room' | 'title' | 'sessionId' | 'directory'
>;

/** The source of a drawer, or a source by itself. */
export function sourceJson(source: SourceFacts, drawers: number): Record<string, unknown> {
  return {
    source_key: source.sourceKey,
    source_file: source.sourceFile,
    origin: source.origin,
    kind: source.kind,
    wing: source.wing,
    room: source.room,
    title: source.title === '' ? null : source.title,
    session_id: source.sessionId,
    directory: source.directory,
    drawers,
  };
}
