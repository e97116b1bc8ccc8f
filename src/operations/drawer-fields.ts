/** The fields of drawers and sources in documents. Loads no schemas. */
import { snakeNamed } from '../core/case.js';
import { speakersIn } from '../reading/speakers.js';
import type { Drawer, Source } from '../service/contract/index.js';

type Described = Omit<Source, 'sourceKey' | 'mtimeMs' | 'hash' | 'chars' | 'drawers'>;

/** The properties of a source. An empty title is null. */
export function sourceFields(source: Described) {
  const { wing, room, kind, textKind, sourceFile, origin, sessionId, directory } = source;
  const title = source.title === '' ? null : source.title;
  return snakeNamed({ wing, room, kind, textKind, title, sourceFile, origin, sessionId, directory });
}

/** A drawer's place in its source and its properties, without its text. */
export function drawerFields({
  drawerId,
  lineStart,
  lineEnd,
  contentDate,
  role,
  priority,
  pinned,
  ...drawer
}: Drawer) {
  const context = drawer.context === '' ? null : drawer.context;
  return snakeNamed({ drawerId, lineStart, lineEnd, contentDate, role, context, priority, pinned });
}

/** A source with its key. @param drawers number of its drawers */
export function sourceJson(source: Described & Pick<Source, 'sourceKey'>, drawers: number) {
  return { source_key: source.sourceKey, ...sourceFields(source), drawers };
}

/** A drawer with its text and the turns in it. */
export function drawerJson(drawer: Drawer) {
  const turns = turnsIn(drawer);
  return { ...drawerFields(drawer), chunk_index: drawer.chunkIndex, turns, text: drawer.text };
}

/** A drawer, or another stretch of a source's text: `charStart` is its offset in it. */
type Stretch = Pick<Drawer, 'kind' | 'text' | 'charStart' | 'turns'>;

/**
 * The speakers in a stretch. Only these are reliable: a text may contain lines that look like a turn.
 *
 * @returns null for a document, and where it is unknown
 */
export function turnsIn({ turns, ...stretch }: Stretch): string[] | null {
  return turns === null ? null : speakersIn(stretch, turns);
}

/** The turns in a stretch, for an agent; empty for a document. */
export function turnsFor(stretch: Stretch): { turns?: string[]; turns_unknown?: true } {
  if (stretch.kind !== 'conversation') return {};
  const turns = turnsIn(stretch);
  return turns === null ? { turns_unknown: true } : { turns };
}

/** The texts of a source's drawers, with a mark where text between two of them is omitted. */
export function passageText(drawers: readonly Pick<Drawer, 'text' | 'charStart' | 'charEnd'>[]): string {
  let text = '';
  let end: number | undefined;
  for (const drawer of drawers) {
    if (end !== undefined && drawer.charStart !== end) text += '\n[…]\n';
    text += drawer.text;
    end = drawer.charEnd;
  }
  return text;
}
