import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { factFor, factSentence } from '../../presentation/facts.js';
import type { Fact, Output } from '../../service/contract/index.js';
import { factName, factSchema, MOMENT, redactions, text } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';

const predicate = z.string().min(1).max(128).describe('short, as works_at, default_branch');
const source = {
  source_drawer_id: text('the drawer that states it'),
  source_file: text('other source'),
  source_closet: text('for old prompts'),
};

const add = defineTool({
  name: 'mempalace_kg_add',
  title: 'Add a fact',
  description:
    'Stores a short fact: subject, predicate, object, and since when. The same open fact is not stored twice. `conflicts` lists facts that contradict it: replace those with kg_supersede or end them with kg_invalidate.',
  input: z.object({
    subject: factName('as shop'),
    predicate,
    object: factName('as main'),
    valid_from: text(`since when; ${MOMENT}`),
    valid_to: text('end of its validity (exclusive)'),
    confidence: z.coerce.number().min(0).max(1).default(1),
    ...source,
  }),
  output: z.looseObject({
    success: z.boolean(),
    triple_id: z.string(),
    fact: z.string(),
    conflicts: z.array(factSchema),
  }),
  core: true,
  writes: true,
  idempotent: true,
  logged: (_, { triple_id }) => ({ triple_id }),
  async run(input, call) {
    const { subject, predicate: verb, object, confidence } = input;
    const words = { subject, predicate: verb, object, confidence, ...sourceOf(input) };
    const fact = { ...words, validFrom: input.valid_from, validTo: input.valid_to };
    const done = await call.service.addFact(fact, call);
    return { ...addedShape(done), ...(done.added ? {} : { reason: 'already_exists' }) };
  },
});

const invalidate = defineTool({
  name: 'mempalace_kg_invalidate',
  title: 'Record that a fact is no longer true',
  description:
    'Ends an open fact; it stays as history. When something else is true instead, use kg_supersede.',
  input: z.object({
    subject: factName('as stored'),
    predicate,
    object: factName('as stored'),
    ended: text(`end of its validity (exclusive), ${MOMENT}; default: now`),
  }),
  output: z.looseObject({ success: z.boolean(), fact: z.string(), ended: z.string() }),
  core: true,
  writes: true,
  logged: (_, { triple_ids: ids }) => ({ triple_ids: ids }),
  async run({ ended: at, ...words }, call) {
    const { ended, open, ...done } = await call.service.endFact({ ...words, at }, call);
    if (ended.length === 0) {
      const others = open
        .slice(0, FACTS_SHOWN)
        .map(({ object }) => JSON.stringify(object))
        .join(', ');
      throw new UserError('not-found', 'no current fact matches', {
        hint:
          others === '' ? 'mempalace_kg_query shows what is known' : `open with this predicate: ${others}`,
      });
    }
    return {
      success: true,
      fact: factSentence(ended[0] ?? words),
      ended: done.at,
      triple_ids: ended.map(({ tripleId }) => tripleId),
    };
  },
});

const supersede = defineTool({
  name: 'mempalace_kg_supersede',
  title: 'Replace a fact with what is true now',
  description:
    'Ends a fact and begins its successor at one moment, so that exactly one of them is always true. For single values: owner, port, version, employer.',
  input: z.object({
    subject: factName('as stored'),
    predicate,
    old_object: text('what is no longer true; default: the current object'),
    new_object: factName('what is true instead'),
    at: text(`${MOMENT}; default: now`),
    ...source,
  }),
  output: z.looseObject({
    success: z.boolean(),
    triple_id: z.string(),
    fact: z.string(),
    at: z.string(),
    ended: z.array(factSchema),
  }),
  writes: true,
  logged: (_, { triple_id }) => ({ triple_id }),
  async run(input, call) {
    const { subject, predicate: verb, new_object: object, old_object: former, at } = input;
    const words = { subject, predicate: verb, object, former, at, ...sourceOf(input) };
    const done = await call.service.replaceFact(words, call);
    return { ...addedShape(done), at: done.at, ended: shown(done.ended, new Date()) };
  },
});

const forget = defineTool({
  name: 'mempalace_kg_forget',
  title: 'Erase a fact that was stored by mistake',
  description:
    'Reports what would be erased; with dry_run false it erases a fact permanently, in kept backups too, and no import restores it. For facts that were never true; end others with kg_invalidate. Ask the user first.',
  input: z.object({
    triple_id: z.string().min(1).max(64).describe('of a fact'),
    dry_run: z.boolean().default(true).describe('touch nothing'),
  }),
  output: z.looseObject({ success: z.boolean(), dry_run: z.boolean(), forgotten: z.array(factSchema) }),
  writes: true,
  destructive: true,
  idempotent: true,
  logged: ({ triple_id, dry_run }) => ({ triple_id, dry_run }),
  async run({ triple_id: id, dry_run: dryRun }, call) {
    const args = ['kg', 'forget', ...(dryRun ? ['--dry-run'] : ['--yes']), '--', id];
    const { command: _, ...result } = forgotten.parse(
      await call.host.program('mempalace', args, call.signal),
    );
    if (result.forgotten.length === 0)
      throw new UserError('not-found', `there is no fact ${id}`, {
        hint: 'kg_query shows facts with their ids',
      });
    return { success: true, ...result, dry_run: dryRun };
  },
});

const forgotten = z.looseObject({ forgotten: z.array(factSchema) });

export const KG_WRITING_TOOLS: readonly Tool[] = [add, invalidate, supersede, forget];

/** Facts that an answer lists, at most: the last added. */
const FACTS_SHOWN = 20;

function shown(facts: readonly Fact[], now: Date) {
  return facts.slice(-FACTS_SHOWN).map((fact) => factFor(fact, now));
}

function sourceOf({
  source_drawer_id: sourceDrawerId,
  source_file: sourceFile,
  source_closet: sourceCloset,
}: { [Name in keyof typeof source]?: string | undefined }) {
  return { sourceDrawerId, sourceFile, sourceCloset };
}

function addedShape({ fact, conflicts, redacted }: Output<'addFact'>) {
  const now = new Date();
  return {
    success: true,
    triple_id: fact.tripleId,
    fact: factSentence(fact),
    details: factFor(fact, now),
    conflicts: shown(conflicts, now),
    ...redactions(redacted),
  };
}
