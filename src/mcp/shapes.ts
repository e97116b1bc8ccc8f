import { speakersIn } from '../reading/index.js';
import type { DrawerView, Palace, SourceView } from '../store/index.js';

/** Without what is not there: every key costs an agent's context. */
export function present<T extends Record<string, unknown>>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  ) as Partial<T>;
}

type SourceFacts = Pick<
  SourceView,
  'sourceKey' | 'sourceFile' | 'origin' | 'kind' | 'wing' | 'room' | 'title' | 'sessionId' | 'directory'
>;

export function sourceShape(source: SourceFacts): Record<string, unknown> {
  return present({
    wing: source.wing,
    room: source.room,
    kind: source.kind,
    title: source.title,
    source_file: source.sourceFile,
    origin: source.origin,
    session_id: source.sessionId,
    directory: source.directory,
  });
}

/** Where a drawer stands in its source, and what is known of it; not its text. */
export function drawerShape(drawer: DrawerView): Record<string, unknown> {
  return present({
    drawer_id: drawer.drawerId,
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
    role: drawer.role,
    context: drawer.context,
    priority: drawer.priority,
    pinned: drawer.pinned === 1 ? true : undefined,
  });
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/**
 * Who speaks from where on in a stretch of a source's text. Only this says it: a text may hold lines that look like a
 * turn. Nothing for a document.
 *
 * @param charStart of the stretch in the source's text
 */
export function turnsShape(
  palace: Palace,
  { sourceId, kind }: Pick<DrawerView, 'sourceId' | 'kind'>,
  stretch: { text: string; charStart: number },
): { turns?: string[]; turns_unknown?: true } {
  if (kind !== 'conversation') return {};
  const marks = palace.sources.turnsOf(sourceId);
  return marks === undefined ? { turns_unknown: true } : { turns: speakersIn(stretch, marks) };
}
