import type { TurnsOf } from '../../presentation/drawers.js';
import { type Spoken, spokenIn } from '../../reading/index.js';
import type { DrawerView } from '../../store/index.js';

/** Drawers of one source to be quoted, by speaker. */
export function partsOf(drawers: readonly DrawerView[], turnsOf: TurnsOf): Spoken[] {
  const [first] = drawers;
  if (first?.kind === 'conversation') return spokenIn(drawers, turnsOf(first.sourceId) ?? 'unknown');
  return spokenIn(drawers, undefined).map(({ speaker = TEXT, text }) => ({ speaker, text }));
}

/** Above a text that nobody speaks. */
export const TEXT = 'text';
