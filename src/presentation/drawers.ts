/** The fields of drawers and sources in JSON: all of them for programs, those that say something for agents. */
import { snakeNamed } from '../core/case.js';
import type { TurnMark } from '../core/turns.js';
import { speakersIn } from '../reading/index.js';
import type { DrawerView, FiledSource, Palace, ShownSource } from '../store/index.js';

/** Without empty fields: every key costs an agent's context. */
export function present<T extends Record<string, unknown>>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== null && value !== undefined && value !== '' && value !== false,
    ),
  ) as Partial<T>;
}

type Described = 'title' | Exclude<keyof ShownSource, 'sourceKey'>;

export function sourceFields(source: Pick<FiledSource, Described>) {
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
  ...drawer
}: DrawerView) {
  const context = drawer.context === '' ? null : drawer.context;
  const pinned = drawer.pinned === 1;
  return snakeNamed({ drawerId, lineStart, lineEnd, contentDate, role, context, priority, pinned });
}

export function sourceJson(source: Pick<FiledSource, Described | 'sourceKey'>, drawers: number) {
  return { source_key: source.sourceKey, ...sourceFields(source), drawers };
}

export function drawerJson(drawer: DrawerView, turnsOf: TurnsOf) {
  const turns = turnsIn(drawer, turnsOf);
  return { ...drawerFields(drawer), chunk_index: drawer.chunkIndex, turns, text: drawer.text };
}

/** The turns of a source, by its row id; undefined where none are stored. */
export type TurnsOf = (sourceId: number) => readonly TurnMark[] | undefined;

/** A drawer, or another stretch of a source's text: `charStart` is its offset in it. */
type Stretch = Pick<DrawerView, 'sourceId' | 'kind' | 'text' | 'charStart'>;

/**
 * The speakers in a stretch. Only these are reliable: a text may contain lines that look like a turn.
 *
 * @returns null for a document, and where it is unknown
 */
export function turnsIn(stretch: Stretch, turnsOf: TurnsOf): string[] | null {
  const turns = stretch.kind === 'conversation' ? turnsOf(stretch.sourceId) : undefined;
  return turns === undefined ? null : speakersIn(stretch, turns);
}

/** For an agent, to which the kind of a text says less than the text. */
export function sourceFor(source: Pick<FiledSource, Described>) {
  const { text_kind: _, ...fields } = sourceFields(source);
  return present(fields);
}

export const drawerFor = (drawer: DrawerView) => present(drawerFields(drawer));

/** The turns in a stretch, for an agent; empty for a document. */
export function turnsFor({ sources }: Palace, stretch: Stretch): { turns?: string[]; turns_unknown?: true } {
  if (stretch.kind !== 'conversation') return {};
  const turns = turnsIn(stretch, (id) => sources.turnsOf(id));
  return turns === null ? { turns_unknown: true } : { turns };
}

/** The texts of a source's drawers, with a mark where text between two of them is omitted. */
export function passageText(drawers: readonly Pick<DrawerView, 'text' | 'charStart' | 'charEnd'>[]): string {
  let text = '';
  let end: number | undefined;
  for (const drawer of drawers) {
    if (end !== undefined && drawer.charStart !== end) text += '\n[…]\n';
    text += drawer.text;
    end = drawer.charEnd;
  }
  return text;
}
