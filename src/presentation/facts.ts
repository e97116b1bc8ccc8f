import { z } from 'zod';
import { factRow, factRowOf, holdsAt, secondText } from '../knowledge/facts/index.js';
import type { Fact } from '../service/contract/index.js';
import { present } from './drawers.js';

/** Fields of every fact in an answer. */
export const factSchema = z.looseObject({
  ...factRow.pick({ triple_id: true, subject: true, predicate: true, object: true }).shape,
  current: z.boolean(),
});

/** A fact for programs: an export's row, and whether it is current. */
export function factJson(fact: Fact, now: Date) {
  return { ...factRowOf(fact), current: holdsAt(fact, secondText(now)) };
}

/** Longest shown name of a fact's source, UTF-16 units. */
const SOURCE_SHOWN = 500;

function shortened(text: string | null): string | null {
  if (text === null || text.length <= SOURCE_SHOWN) return text;
  return `${text.slice(0, SOURCE_SHOWN).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A fact for an agent, without empty fields. */
export function factFor(fact: Fact, now: Date) {
  const { confidence, source_key: _, added_by: _by, recorded_at: _at, ...rest } = factJson(fact, now);
  const { source_drawer_id, source_file, source_closet, ...words } = rest;
  return {
    ...words,
    ...present({
      confidence: confidence === 1 ? undefined : confidence,
      source_drawer_id,
      source_file: shortened(source_file),
      source_closet: shortened(source_closet),
    }),
  };
}

export function factSentence(fact: Pick<Fact, 'subject' | 'predicate' | 'object'>): string {
  return `${fact.subject} → ${fact.predicate} → ${fact.object}`;
}
