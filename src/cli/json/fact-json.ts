import type { Fact } from '../../store/index.js';

/**
 * A fact as `mempalace kg` gives it under --json; see docs/json-output.md.
 *
 * @param current whether it holds now
 */
export function factJson(fact: Fact, current: boolean): Record<string, unknown> {
  return {
    triple_id: fact.tripleId,
    subject: fact.subject,
    predicate: fact.predicate,
    object: fact.object,
    valid_from: fact.validFrom,
    valid_to: fact.validTo,
    confidence: fact.confidence,
    current,
    source_key: fact.sourceKey,
    source_drawer_id: fact.sourceDrawerId,
    source_file: fact.sourceFile,
    source_closet: fact.sourceCloset,
    added_by: fact.addedBy,
    recorded_at: fact.recordedAt,
  };
}
