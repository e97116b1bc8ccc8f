import { UserError } from '../../core/errors.js';
import type { Crowd, Direction, Fact, Palace } from '../../store/index.js';
import { parseInstant, secondOf, secondText } from './instant.js';
import { entityOf, type FactWords, predicateOf, takesSeveral } from './names.js';

const CANDIDATES = 8;

/**
 * The fact that has an id, or the beginning of one; or all facts, current or not, that say these words.
 *
 * @throws UserError `usage` for the beginning of several ids, or invalid words
 */
export function findFacts(palace: Palace, which: { id: string } | { words: FactWords }): Fact[] {
  if ('words' in which) {
    const { subject, predicate, object } = which.words;
    const wanted = entityOf('object', object).id;
    return palace.facts
      .of(entityOf('subject', subject).id, predicateOf(predicate))
      .filter(({ objectId }) => objectId === wanted);
  }
  const found = palace.facts.beginningWith(which.id, CANDIDATES + 1);
  if (found.length <= 1) return found;
  const ids = found.slice(0, CANDIDATES).map(({ tripleId }) => tripleId);
  throw new UserError('usage', `${which.id} begins several ids of facts`, {
    hint: `one of ${ids.join(', ')}${found.length > CANDIDATES ? ', …' : ''}`,
  });
}

export interface FactQuestion {
  entity: string;
  /** Default `both`. */
  direction?: Direction | undefined;
  predicate?: string | undefined;
  /** Only what holds at this moment; default: everything, also what holds no longer. */
  asOf?: string | undefined;
  limit: number;
}

/** A fact beside the entity that was asked for. */
export interface DirectedFact extends Fact {
  /** `outgoing` where the entity is the subject. */
  direction: 'outgoing' | 'incoming';
}

export interface FactAnswer {
  /** As the palace writes its name; as it was asked for where it is unknown. */
  entity: string;
  known: boolean;
  asOf: string | null;
  /** By when they began, the newest last. */
  facts: DirectedFact[];
  /** How many there are; `facts` may be only the newest. */
  total: number;
}

/** @throws UserError `usage` for invalid words or an invalid moment */
export function queryFacts(palace: Palace, question: FactQuestion): FactAnswer {
  const { id, name } = entityOf('entity', question.entity);
  const asOf = question.asOf === undefined ? null : parseInstant('as_of', question.asOf);
  const predicate = question.predicate === undefined ? undefined : predicateOf(question.predicate);
  return palace.snapshot(() => {
    const entity = palace.facts.entity(id);
    const query = {
      entityId: id,
      direction: question.direction ?? 'both',
      predicate,
      at: asOf === null ? undefined : secondOf(asOf),
    };
    const { facts, total } = palace.facts.query(query, question.limit);
    const directed = facts.map((fact): DirectedFact => {
      return { ...fact, direction: fact.subjectId === id ? 'outgoing' : 'incoming' };
    });
    return { entity: entity?.name ?? name, known: entity !== undefined, asOf, facts: directed, total };
  });
}

/**
 * Facts in the order in which they began, the newest last; those without a beginning by when they were told.
 *
 * @param page counted from the newest: `offset` is the number of newest facts to leave out
 * @throws UserError `usage`
 */
export function factTimeline(
  palace: Palace,
  entity: string | undefined,
  page: { limit: number; offset: number },
): { entity: string | null; facts: Fact[]; total: number } {
  const wanted = entity === undefined ? undefined : entityOf('entity', entity);
  return palace.snapshot(() => {
    const name = wanted === undefined ? null : (palace.facts.entity(wanted.id)?.name ?? wanted.name);
    return { entity: name, ...palace.facts.timeline(wanted?.id, page) };
  });
}

export interface GraphStats {
  entities: number;
  triples: number;
  current: number;
  /** Held once, or will hold. */
  notCurrent: number;
  /** The most common first. */
  predicates: { predicate: string; facts: number }[];
  /** Subjects of which two things are said at once where one is usual. */
  conflicts: Crowd[];
}

export function graphStats(palace: Palace, now: Date): GraphStats {
  return palace.snapshot(() => {
    const at = secondText(now);
    const { entities, triples, current, predicates } = palace.facts.counts(at);
    const conflicts = palace.facts.crowds(at).filter(({ predicate }) => !takesSeveral(predicate));
    return { entities, triples, current, notCurrent: triples - current, predicates, conflicts };
  });
}
