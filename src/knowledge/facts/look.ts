import { UserError } from '../../core/errors.js';
import type { Direction, Fact, Palace } from '../../store/index.js';
import { holdsAt, parseInstant, secondOf, secondText } from './instant.js';
import { entityOf, type FactWords, predicateOf, takesSeveral } from './names.js';

const CANDIDATES = 8;

/**
 * Finds a fact by its id or the beginning of it; or all facts with the same words, current or not.
 *
 * @throws UserError `usage` for an ambiguous beginning, or invalid words
 */
export function findFacts(palace: Palace, which: { id: string } | { words: FactWords }): Fact[] {
  if ('words' in which) {
    const { subject, predicate, object } = which.words;
    const wanted = entityOf('object', object).id;
    return palace.facts
      .of(entityOf('subject', subject).id, predicateOf(predicate))
      .filter(({ object_id }) => object_id === wanted);
  }
  const found = palace.facts.beginningWith(which.id, CANDIDATES + 1);
  if (found.length <= 1) return found;
  const ids = found.slice(0, CANDIDATES).map(({ triple_id }) => triple_id);
  throw new UserError('usage', `${which.id} begins several ids of facts`, {
    hint: `one of ${ids.join(', ')}${found.length > CANDIDATES ? ', …' : ''}`,
  });
}

export interface DirectedFact extends Fact {
  /** `outgoing` where the entity is the subject. */
  direction: 'outgoing' | 'incoming';
}

export interface FactQuestion {
  entity: string;
  /** Default `both`. */
  direction?: Direction | undefined;
  predicate?: string | undefined;
  /** Only facts that are true at this moment; default: all. */
  as_of?: string | undefined;
  limit: number;
}

/**
 * The newest facts of an entity, by their beginning, newest last.
 *
 * @returns `entity`: the stored name, or the given one when unknown; `total`: number of matching facts
 * @throws UserError `usage` for invalid words or an invalid moment
 */
export function queryFacts(palace: Palace, question: FactQuestion) {
  const { id, name } = entityOf('entity', question.entity);
  const { as_of, at } = momentOf(question.as_of);
  const predicate = question.predicate === undefined ? undefined : predicateOf(question.predicate);
  return palace.snapshot(() => {
    const entity = palace.facts.entity(id);
    const query = {
      entityId: id,
      direction: question.direction,
      predicate,
      at,
    };
    const { facts, total } = palace.facts.query(query, { limit: question.limit, offset: 0 });
    const directed = facts.map((fact): DirectedFact => {
      return { ...fact, direction: fact.subject_id === id ? 'outgoing' : 'incoming' };
    });
    return { entity: entity?.name ?? name, known: entity !== undefined, as_of, facts: directed, total };
  });
}

/** @throws UserError `usage` for an invalid moment */
function momentOf(text: string | undefined): { as_of: string | null; at: string | undefined } {
  if (text === undefined) return { as_of: null, at: undefined };
  const as_of = parseInstant('as_of', text);
  return { as_of, at: secondOf(as_of) };
}

/**
 * Facts in the order in which they began, newest last; without a beginning, in the order in which they were added.
 *
 * @param page counted from the newest fact
 * @throws UserError `usage`
 */
export function factTimeline(
  palace: Palace,
  { entity, ...question }: Pick<Partial<FactQuestion>, 'entity' | 'as_of'>,
  page: { limit: number; offset: number },
): { entity: string | null; as_of: string | null; facts: Fact[]; total: number } {
  const { as_of, at } = momentOf(question.as_of);
  const wanted = entity === undefined ? undefined : entityOf('entity', entity);
  return palace.snapshot(() => {
    const name = wanted === undefined ? null : (palace.facts.entity(wanted.id)?.name ?? wanted.name);
    return { entity: name, as_of, ...palace.facts.query({ entityId: wanted?.id, at }, page) };
  });
}

/** Counts of the graph, most common predicates first, and conflicts: several values where one at a time is usual. */
export function graphStats(palace: Palace, now: Date) {
  return palace.snapshot(() => {
    const at = secondText(now);
    const { entities, triples, current, predicates } = palace.facts.counts(at);
    const conflicts = conflictsAt(palace, at);
    return {
      entities,
      triples,
      current_facts: current,
      expired_facts: triples - current,
      relationship_types: predicates,
      conflicts,
    };
  });
}

/** Facts that contradict each other at a moment, by subject and predicate. */
export function openConflicts(palace: Palace, now: Date) {
  const at = secondText(now);
  return palace.snapshot(() =>
    conflictsAt(palace, at).map(({ subject, predicate }) => {
      const all = palace.facts.of(entityOf('subject', subject).id, predicate);
      return { subject, predicate, facts: all.filter((fact) => holdsAt(fact, at)) };
    }),
  );
}

function conflictsAt({ facts }: Palace, at: string) {
  return facts.crowds(at).filter(({ predicate }) => !takesSeveral(predicate));
}

/** Whether two facts say different things of one subject and predicate at a moment. */
export function contradict(one: Fact, other: Fact, at: string): boolean {
  return (
    one.subject_id === other.subject_id &&
    one.predicate === other.predicate &&
    one.object_id !== other.object_id &&
    !takesSeveral(one.predicate) &&
    holdsAt(one, at) &&
    holdsAt(other, at)
  );
}
