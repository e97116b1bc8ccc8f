import type { TurnMark } from '../../core/turns.js';
import { type Spoken, spokenIn } from '../../reading/index.js';
import type { DrawerView } from '../../store/index.js';

type Slice = Pick<DrawerView, 'text' | 'charStart' | 'charEnd'>;

/** The drawers' texts as they stand in the source; what lies between two that do not touch was left out there. */
export function passageText(drawers: readonly Slice[]): string {
  let text = '';
  let end: number | undefined;
  for (const drawer of drawers) {
    if (end !== undefined && drawer.charStart !== end) text += '\n[…]\n';
    text += drawer.text;
    end = drawer.charEnd;
  }
  return text;
}

/** The marks of a source, by its row id; undefined where none are kept. */
export type TurnsOf = (sourceId: number) => readonly TurnMark[] | undefined;

/** Drawers of one source to be quoted, by speaker. */
export function partsOf(drawers: readonly DrawerView[], turnsOf: TurnsOf): Spoken[] {
  const [first] = drawers;
  if (first?.kind === 'conversation') return spokenIn(drawers, turnsOf(first.sourceId) ?? 'unknown');
  return spokenIn(drawers, undefined).map(({ speaker = TEXT, text }) => ({ speaker, text }));
}

/** Above a text that nobody speaks. */
export const TEXT = 'text';
