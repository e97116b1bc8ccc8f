import { addCounts, type Sanitiser, type Scope } from '../../sanitiser/index.js';
import type { Fact, Palace } from '../../store/index.js';
import { entityOf, type FactWords, predicateOf } from './names.js';

type Sanitising = Pick<Sanitiser, 'scope'>;

/** The texts of a fact that may contain a secret. */
export interface FactTexts extends FactWords {
  source_file?: string | null | undefined;
  source_closet?: string | null | undefined;
}

export interface Cleaned<Words extends FactTexts> {
  words: Words;
  redacted: Record<string, number>;
}

/** Redacts the secrets in every text of a fact. */
export async function cleanWords<Words extends FactTexts>(
  input: Words,
  sanitiser: Sanitising,
): Promise<Cleaned<Words>> {
  const scope = sanitiser.scope();
  const cleaned = await cleanWordsIn(input, scope);
  // A later text may reveal that an earlier one contains a secret.
  return scope.known === 0 ? cleaned : cleanWordsIn(input, scope);
}

async function cleanWordsIn<Words extends FactTexts>(input: Words, scope: Scope): Promise<Cleaned<Words>> {
  const { subject, predicate } = input;
  const words = { ...input };
  const redacted: Record<string, number> = {};
  for (const name of ['subject', 'predicate', 'source_file', 'source_closet'] as const) {
    const text = words[name];
    if (text === undefined || text === null) continue;
    const result = await scope.clean(text);
    Object.assign(words, { [name]: result.text });
    addCounts(redacted, result.redacted);
  }
  // `{"api_key": "…"}` reveals a secret where `…` alone does not; the subject may do so too.
  for (const key of [predicate, subject, `${subject}_${predicate}`]) {
    const { value, redacted: found } = await scope.cleanValue({ [key]: words.object });
    const [inner]: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
    if (typeof inner !== 'string' || inner === words.object) continue;
    addCounts(redacted, found);
    words.object = inner;
  }
  return { words, redacted };
}

export interface UncleanFact {
  fact: Fact;
  words: FactTexts;
}

export interface UncleanFacts {
  facts: UncleanFact[];
  redacted: Record<string, number>;
}

/** Searches all facts for secrets, and changes nothing. */
export async function findUncleanFacts(palace: Palace, sanitiser: Sanitising): Promise<UncleanFacts> {
  const found: UncleanFacts = { facts: [], redacted: {} };
  for (const fact of palace.facts.all()) {
    const { words, redacted } = await cleanWords(fact, sanitiser);
    if (Object.keys(redacted).length === 0) continue;
    found.facts.push({ fact, words });
    addCounts(found.redacted, redacted);
  }
  return found;
}

export async function isUncleanFact(fact: Fact, sanitiser: Sanitising): Promise<boolean> {
  return Object.keys((await cleanWords(fact, sanitiser)).redacted).length > 0;
}

/** Replaces the texts of facts in one transaction; ids and times stay. Unused names are deleted. */
export function rewordFacts(palace: Palace, facts: readonly UncleanFact[], now: Date): void {
  palace.transaction(() => {
    for (const { fact, words } of facts) {
      const subject = entityOf('subject', words.subject);
      const object = entityOf('object', words.object);
      for (const entity of [subject, object]) palace.facts.addEntity(entity, now.toISOString());
      // A marker such as `[REDACTED:token]` is not a valid predicate.
      const valid = words.predicate.replace(/[^\p{L}\p{M}\p{N}_.:]+/gu, '_').replace(/^_+/, '');
      palace.facts.reword(fact.triple_id, {
        subject_id: subject.id,
        object_id: object.id,
        predicate: words.predicate === fact.predicate ? fact.predicate : predicateOf(valid || 'redacted'),
        source_file: words.source_file ?? null,
        source_closet: words.source_closet ?? null,
      });
    }
    palace.facts.dropUnused();
  });
}
