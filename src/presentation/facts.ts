/** Facts as JSON: all fields for programs, those that say something for agents. */
import { snakeNamed } from '../core/case.js';
import { NOTICE } from '../core/outside.js';
import { holdsAt, secondText } from '../knowledge/facts/instant.js';
import type { Fact, Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';
import { present } from './drawers.js';

/** With whether it is current. */
export function factJson(fact: Fact, now: Date) {
  const { tripleId, subject, predicate, object, validFrom, validTo, confidence } = fact;
  const { sourceKey, sourceDrawerId, sourceFile, sourceCloset, addedBy, recordedAt } = fact;
  const words = { tripleId, subject, predicate, object, validFrom, validTo, confidence };
  const origin = { sourceKey, sourceDrawerId, sourceFile, sourceCloset, addedBy, recordedAt };
  return { ...snakeNamed({ ...words, ...origin }), current: holdsAt(fact, secondText(now)) };
}

/** Facts for programs. */
export function factsJson(facts: readonly Fact[], now: Date) {
  return facts.map((fact) => factJson(fact, now));
}

/** The facts of an entity, each with its direction as seen from it. */
export function factsDocument(
  { entity, known, asOf, facts, total }: Output<'facts'>,
  now: Date,
): Document<'kgQuery'> {
  const directed = facts.map((fact) => ({ direction: fact.direction, ...factJson(fact, now) }));
  return { notice: NOTICE, entity, known, as_of: asOf, facts: directed, count: facts.length, total };
}

/** A page of facts in the order in which they began. */
export function factTimelineDocument(
  { entity, asOf, facts, total }: Output<'factTimeline'>,
  { now, offset }: { now: Date; offset: number },
): Document<'kgTimeline'> {
  return { notice: NOTICE, entity, as_of: asOf, facts: factsJson(facts, now), offset, total };
}

/** Numbers of facts, with their predicates and conflicts. */
export function factStatsDocument(stats: Output<'factStats'>): Document<'kgStats'> {
  const { entities, triples, current, notCurrent, predicates, conflicts } = stats;
  return {
    notice: NOTICE,
    entities,
    triples,
    current_facts: current,
    expired_facts: notCurrent,
    relationship_types: predicates,
    conflicts,
  };
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

/** A fact on one line, for a person or an agent. */
export function factSentence(fact: Pick<Fact, 'subject' | 'predicate' | 'object'>): string {
  return `${fact.subject} → ${fact.predicate} → ${fact.object}`;
}
