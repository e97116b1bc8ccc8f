import { addCounts } from '../../sanitiser/index.js';
import type { Fact, Palace } from '../../store/index.js';
import { cleanWords, type FactInput, type Telling } from './add.js';
import { entityOf, predicateOf } from './names.js';

/** A fact that holds what today's rules redact. */
export interface UncleanFact {
  fact: Fact;
  words: FactInput;
}

export interface UncleanFacts {
  facts: UncleanFact[];
  /** By kind. */
  redacted: Record<string, number>;
}

/** Looks through all facts; changes nothing. */
export async function findUncleanFacts(
  palace: Palace,
  sanitiser: Telling['sanitiser'],
): Promise<UncleanFacts> {
  const found: UncleanFacts = { facts: [], redacted: {} };
  for (const fact of palace.facts.all()) {
    const { words, redacted } = await cleanedFact(fact, sanitiser);
    if (Object.keys(redacted).length === 0) continue;
    found.facts.push({ fact, words });
    addCounts(found.redacted, redacted);
  }
  return found;
}

/** Whether a fact holds what today's rules redact. */
export async function isUncleanFact(fact: Fact, sanitiser: Telling['sanitiser']): Promise<boolean> {
  return Object.keys((await cleanedFact(fact, sanitiser)).redacted).length > 0;
}

function cleanedFact({ subject, predicate, object, ...fact }: Fact, sanitiser: Telling['sanitiser']) {
  const sourceFile = fact.sourceFile ?? undefined;
  const sourceCloset = fact.sourceCloset ?? undefined;
  return cleanWords({ subject, predicate, object, sourceFile, sourceCloset }, sanitiser);
}

/** Gives facts their clean words, in one transaction; their ids and times stay. What was named so only there is gone. */
export function rewordFacts(palace: Palace, facts: readonly UncleanFact[], now: Date): void {
  palace.transaction(() => {
    for (const { fact, words } of facts) {
      const subject = entityOf('subject', words.subject);
      const object = entityOf('object', words.object);
      for (const entity of [subject, object]) palace.facts.addEntity(entity, now.toISOString());
      palace.facts.reword(fact.tripleId, {
        subjectId: subject.id,
        objectId: object.id,
        predicate: words.predicate === fact.predicate ? fact.predicate : predicateOr(words.predicate),
        sourceFile: words.sourceFile ?? null,
        sourceCloset: words.sourceCloset ?? null,
      });
    }
    palace.facts.dropUnused();
  });
}

/** A marker may not stand in a predicate. */
function predicateOr(text: string): string {
  return predicateOf(text.replace(/[^\p{L}\p{M}\p{N}_.:]+/gu, '_').replace(/^_+/, '') || 'redacted');
}
