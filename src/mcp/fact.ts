import { z } from 'zod';
import { factRow, factRowOf, holdsAt, secondText } from '../knowledge/facts/index.js';
import type { Fact } from '../store/index.js';
import { present } from './shapes.js';

export const MOMENT = 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ';

/** Of a subject or an object. */
export const factName = (description: string) => z.string().min(1).max(500).describe(description);

/** What every fact has that an agent is told. */
export const factShape = z.looseObject({
  ...factRow.pick({ triple_id: true, subject: true, predicate: true, object: true }).shape,
  current: z.boolean(),
});

export function factSentence({
  subject,
  predicate,
  object,
}: Pick<Fact, 'subject' | 'predicate' | 'object'>): string {
  return `${subject} → ${predicate} → ${object}`;
}

/** Longest description of where a fact was read, UTF-16 units. */
const SOURCE_SHOWN = 500;

function shortened(text: string | null): string | null {
  if (text === null || text.length <= SOURCE_SHOWN) return text;
  return `${text.slice(0, SOURCE_SHOWN).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A fact for an agent: as exports have it, without what says nothing to it. */
export function factFor(fact: Fact, now: Date) {
  const { triple_id, subject, predicate, object, valid_from, valid_to, ...more } = factRowOf(fact);
  const { confidence, source_drawer_id, source_file, source_closet } = more;
  return {
    triple_id,
    subject,
    predicate,
    object,
    valid_from,
    valid_to,
    current: holdsAt(fact, secondText(now)),
    ...present({
      confidence: confidence === 1 ? undefined : confidence,
      source_drawer_id,
      source_file: shortened(source_file),
      source_closet: shortened(source_closet),
    }),
  };
}
