import { expect } from 'vitest';
import { resolveConflict } from '../../../src/knowledge/conflicts/resolve.js';
import { addFact } from '../../../src/knowledge/facts/index.js';
import { openConflicts } from '../../../src/knowledge/facts/look.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { countingEmbedder } from '../../support/embedder.js';
import { it } from '../../support/it.js';

const NOW = new Date('2026-06-01T12:00:00Z');

it('ends one of two facts, also when two programs decide differently at the same time', async ({
  palace,
}) => {
  const sanitiser = await createSanitiser({ redact: true });
  const tell = async (object: string) => {
    const words = { subject: 'Shop', predicate: 'port', object, confidence: 1 };
    return (await addFact(palace, words, { sanitiser, addedBy: 'test', now: NOW })).fact.triple_id;
  };
  const facts: [string, string] = [await tell('80'), await tell('8443')];
  const decide = (keep: string) =>
    resolveConflict(
      palace,
      { facts, keep, because: 'The proxy says so.' },
      {
        sanitiser,
        embedder: async () => countingEmbedder(),
        addedBy: 'test',
        run: { command: 'test', scope: '', narrowed: true, versions: {}, startedMs: NOW.getTime() },
      },
    );
  const outcomes = await Promise.allSettled(facts.map(decide));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const ends = facts.map((id) => palace.facts.byId(id)?.valid_to);
  expect(ends.filter((end) => end === null)).toHaveLength(1);
  expect(openConflicts(palace, NOW)).toEqual([]);
});
