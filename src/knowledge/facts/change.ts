import { UserError } from '../../core/errors.js';
import type { Fact, Palace } from '../../store/index.js';
import { type Added, type FactInput, type FactWriting, factOf, placeFrom } from './add.js';
import { cleanWords } from './clean.js';
import { parseInstant, secondOf, secondText } from './instant.js';
import { entityOf, type FactWords, predicateOf } from './names.js';

/**
 * Ends an open fact. The end of a fact that was to end later is moved.
 *
 * @param at end of its validity (exclusive); default: this second
 * @returns `open`: other open facts of the subject and predicate, in case the object was wrong
 * @throws UserError `usage` for invalid words or an invalid moment, or when the fact begins later
 */
export function invalidateFact(
  palace: Palace,
  words: FactWords,
  { at, now, record }: { at?: string | undefined } & Pick<FactWriting, 'now' | 'record'>,
) {
  const instant = at === undefined ? secondText(now) : parseInstant('ended', at);
  return palace.transaction(() => {
    const { same, others } = openFacts(palace, words, instant);
    const ended = endFacts(palace, same, instant);
    if (ended.length > 0) record?.();
    return { ended, at: instant, open: others };
  });
}

export interface Superseded extends Added {
  ended: Fact[];
  at: string;
}

/**
 * Replaces a fact by its successor at one moment, in one transaction.
 *
 * @param input the new fact; `valid_from` is the moment, default: this second
 * @param former object of the former fact; undefined: every other open fact of this subject and predicate
 * @throws UserError `not-found` when the former fact is not open; else as `addFact` does
 */
export async function supersedeFact(
  palace: Palace,
  input: Omit<FactInput, 'valid_to'>,
  former: string | undefined,
  writing: FactWriting,
): Promise<Superseded> {
  const at = input.valid_from === undefined ? secondText(writing.now) : parseInstant('at', input.valid_from);
  const { words, redacted } = await cleanWords(input, writing.sanitiser);
  const { subject, predicate, object } = words;
  if (former !== undefined && entityOf('the old object', former).id === entityOf('the new object', object).id)
    throw new UserError('usage', 'the new object is the old one');
  return palace.transaction(() => {
    const { same, others } = openFacts(palace, { subject, predicate, object: former ?? object }, at);
    const ending = former === undefined ? others : same;
    if (ending.length === 0) {
      const names = others.map((other) => JSON.stringify(other.object)).join(', ');
      const what = JSON.stringify(`${subject} ${predicate} ${former ?? '…'}`);
      throw new UserError('not-found', `no open fact says ${what}`, {
        hint: names === '' ? 'add it as a new fact' : `open of this subject and predicate: ${names}`,
      });
    }
    const ended = endFacts(palace, ending, at);
    writing.record?.();
    const placed = placeFrom(palace, words, { valid_from: at, valid_to: null }, writing);
    const { valid_from: begin } = placed.fact;
    // A successor that was to begin later is true from this moment on too: there is no gap.
    const before =
      !placed.added && begin !== null && secondOf(begin) > secondOf(at)
        ? placeFrom(palace, words, { valid_from: at, valid_to: begin }, writing)
        : placed;
    return { ...before, redacted, ended, at };
  });
}

/** Facts of a subject and a predicate that are open at a moment or begin later: the given fact, and others. */
function openFacts(palace: Palace, words: FactWords, at: string): { same: Fact[]; others: Fact[] } {
  const subject = entityOf('subject', words.subject);
  const object = entityOf('object', words.object);
  const open = palace.facts
    .of(subject.id, predicateOf(words.predicate))
    .filter(({ valid_to }) => valid_to === null || secondOf(valid_to) > secondOf(at));
  return {
    same: open.filter(({ object_id }) => object_id === object.id),
    others: open.filter(({ object_id }) => object_id !== object.id),
  };
}

/**
 * Ends facts, in a transaction. One that begins at this very moment was then never true.
 *
 * @throws UserError `usage` when all of them begin later
 */
export function endFacts(palace: Palace, facts: readonly Fact[], at: string): Fact[] {
  const begun = facts.filter(({ valid_from }) => valid_from === null || secondOf(valid_from) <= secondOf(at));
  if (begun.length === 0 && facts.length > 0) {
    throw new UserError('usage', `the fact begins (${facts[0]?.valid_from}) after it is to end (${at})`, {
      hint: 'name a later moment',
    });
  }
  for (const { triple_id } of begun) palace.facts.end(triple_id, at);
  return begun.map(({ triple_id }) => factOf(palace, triple_id));
}
