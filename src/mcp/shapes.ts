import type { DrawerView, SourceView } from '../store/index.js';

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
