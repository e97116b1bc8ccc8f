import { UserError } from '../../core/errors.js';
import type { Fact, Palace } from '../../store/index.js';
import type { FactWords } from './change.js';
import { entityOf, predicateOf } from './names.js';

const CANDIDATES = 8;

/**
 * The fact that has an id, or the beginning of one; or all facts, current or not, that say these words.
 *
 * @throws UserError `usage` for the beginning of several ids, or words that are none
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
