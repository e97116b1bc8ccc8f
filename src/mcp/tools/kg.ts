import { z } from 'zod';
import { UserError } from '../../common/errors.js';
import {
  addFact,
  type DirectedFact,
  factTimeline,
  graphStats,
  holdsAt,
  invalidateFact,
  queryFacts,
  secondText,
  supersedeFact,
} from '../../graph/index.js';
import { NOTICE } from '../../reading/notice.js';
import type { Fact, Palace, RunStart } from '../../store/index.js';
import { count, text } from '../fields.js';
import { done, NOTHING_FOUND } from '../program-result.js';
import { present } from '../shapes.js';
import { type Call, defineTool, type Tool } from '../tool.js';

const FACTS_AT_MOST = 500;
const MOMENT = 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ';

const name = (description: string) => z.string().min(1).max(500).describe(description);
const predicate = z.string().min(1).max(128).describe('short, as works_at, default_branch');
const source = {
  source_drawer_id: text('the drawer that says so'),
  source_file: text('where else it was read'),
  source_closet: text('kept for old prompts'),
};

const factShape = z.looseObject({
  triple_id: z.string(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  current: z.boolean(),
});

const query = defineTool({
  name: 'mempalace_kg_query',
  title: 'What is known of something',
  description:
    'Facts about an entity, each with the time in which it holds. Ask before you state who, which or since when. as_of gives what held at a moment; without it all facts come, also what is not current.',
  input: z.object({
    entity: name('person, project or thing, as shop'),
    as_of: text(MOMENT),
    direction: z
      .enum(['outgoing', 'incoming', 'both'])
      .default('both')
      .describe('entity is the subject, the object'),
    limit: count(1, FACTS_AT_MOST, 50, 'the newest'),
  }),
  output: z.looseObject({
    entity: z.string(),
    as_of: z.string().nullable(),
    facts: z.array(factShape.extend({ direction: z.string() })),
    count: z.number(),
  }),
  core: true,
  writes: false,
  async run({ entity, as_of: asOf, direction, limit }, call) {
    const answer = queryFacts(await call.palace(), { entity, asOf, direction, limit });
    const { facts, total, known } = answer;
    return {
      entity: answer.entity,
      as_of: answer.asOf,
      notice: NOTICE,
      facts: facts.map((fact: DirectedFact) => ({ direction: fact.direction, ...shape(fact, new Date()) })),
      count: facts.length,
      ...(facts.length < total ? { total } : {}),
      ...(known ? {} : { hint: 'no facts about it; mempalace_search looks through texts' }),
    };
  },
});

const add = defineTool({
  name: 'mempalace_kg_add',
  title: 'Tell a fact',
  description:
    'Keeps a short fact: subject, predicate, object, and since when. The same open fact is not doubled. `conflicts` names facts that contradict it: replace those with kg_supersede or end them with kg_invalidate.',
  input: z.object({
    subject: name('as shop'),
    predicate,
    object: name('as main'),
    valid_from: text(`since when; ${MOMENT}`),
    valid_to: text('first moment at which it holds no longer'),
    confidence: z.coerce.number().min(0).max(1).default(1),
    ...source,
  }),
  output: z.looseObject({
    success: z.boolean(),
    triple_id: z.string(),
    fact: z.string(),
    conflicts: z.array(factShape),
  }),
  core: true,
  writes: true,
  idempotent: true,
  logged: (_, { triple_id }) => ({ triple_id }),
  async run(input, call) {
    const told = await tellingOf(call);
    const { subject, object, confidence } = input;
    const words = { subject, predicate: input.predicate, object, confidence, ...sourceOf(input) };
    const { fact, added, conflicts, redacted } = await call.write((palace, run) =>
      addFact(
        palace,
        { ...words, validFrom: input.valid_from, validTo: input.valid_to },
        { ...told, record: recording(palace, run) },
      ),
    );
    return {
      ...toldShape(fact, told.now),
      ...(added ? {} : { reason: 'already_exists' }),
      conflicts: conflicts.map((other) => shape(other, told.now)),
      ...(Object.keys(redacted).length === 0 ? {} : { redacted }),
    };
  },
});

const invalidate = defineTool({
  name: 'mempalace_kg_invalidate',
  title: 'Say that a fact holds no longer',
  description:
    'Ends a fact that is open; it stays as what was true before. When something else is true instead, use kg_supersede.',
  input: z.object({
    subject: name('as it was told'),
    predicate,
    object: name('as it was told'),
    ended: text(`first moment at which it holds no longer, ${MOMENT}; default: now`),
  }),
  output: z.looseObject({ success: z.boolean(), fact: z.string(), ended: z.string() }),
  core: true,
  writes: true,
  logged: (_, { triple_ids: ids }) => ({ triple_ids: ids }),
  async run({ ended: at, ...words }, call) {
    const {
      ended,
      at: moment,
      open,
    } = await call.write(async (palace, run) =>
      invalidateFact(palace, words, { at, now: new Date(), record: recording(palace, run) }),
    );
    if (ended.length === 0) {
      const others = open.map(({ object }) => JSON.stringify(object)).join(', ');
      throw new UserError('not-found', 'no such fact is open', {
        hint:
          others === '' ? 'mempalace_kg_query shows what is known' : `open with this predicate: ${others}`,
      });
    }
    const { subject, object } = ended[0] ?? words;
    return {
      success: true,
      fact: sentence({ subject, predicate: ended[0]?.predicate ?? words.predicate, object }),
      ended: moment,
      triple_ids: ended.map(({ tripleId }) => tripleId),
    };
  },
});

const supersede = defineTool({
  name: 'mempalace_kg_supersede',
  title: 'Replace a fact by what holds now',
  description:
    'Ends a fact and begins its successor at one moment, so that always exactly one of them holds. For what has one value at a time: owner, port, version, employer.',
  input: z.object({
    subject: name('as it was told'),
    predicate,
    old_object: text('what holds no longer; default: whatever is open'),
    new_object: name('what holds instead'),
    at: text(`${MOMENT}; default: now`),
    ...source,
  }),
  output: z.looseObject({
    success: z.boolean(),
    triple_id: z.string(),
    fact: z.string(),
    at: z.string(),
    ended: z.array(factShape),
  }),
  core: false,
  writes: true,
  logged: (_, { triple_id }) => ({ triple_id }),
  async run(input, call) {
    const told = await tellingOf(call);
    const { subject, new_object: object, old_object: former } = input;
    const words = { subject, predicate: input.predicate, object, validFrom: input.at, ...sourceOf(input) };
    const { fact, ended, at, conflicts, redacted } = await call.write((palace, run) =>
      supersedeFact(palace, words, former, { ...told, record: recording(palace, run) }),
    );
    return {
      ...toldShape(fact, told.now),
      at,
      ended: ended.map((other) => shape(other, told.now)),
      conflicts: conflicts.map((other) => shape(other, told.now)),
      ...(Object.keys(redacted).length === 0 ? {} : { redacted }),
    };
  },
});

const forget = defineTool({
  name: 'mempalace_kg_forget',
  title: 'Erase a fact that was told by mistake',
  description:
    'Says what would be erased; with dry_run false it erases a fact for good, in kept backups too, and no import brings it back. For what was never true; what holds no longer is ended with kg_invalidate. Ask the user first.',
  input: z.object({
    triple_id: z.string().min(1).max(64).describe('of a fact'),
    dry_run: z.boolean().default(true).describe('touch nothing'),
  }),
  output: z.looseObject({ success: z.boolean(), dry_run: z.boolean(), forgotten: z.array(factShape) }),
  core: false,
  writes: true,
  destructive: true,
  idempotent: true,
  logged: ({ triple_id, dry_run }) => ({ triple_id, dry_run }),
  async run({ triple_id: id, dry_run: dryRun }, call) {
    const args = ['kg', 'forget', ...(dryRun ? ['--dry-run'] : ['--yes']), '--', id];
    const { command: _, ...result } = forgotten.parse(
      done(await call.host.program('mempalace', args, call.signal), NOTHING_FOUND),
    );
    if (result.forgotten.length === 0)
      throw new UserError('not-found', `there is no fact ${id}`, {
        hint: 'kg_query shows facts with their ids',
      });
    return { success: true, ...result, dry_run: dryRun };
  },
});

const forgotten = z.looseObject({ forgotten: z.array(factShape) });

const timeline = defineTool({
  name: 'mempalace_kg_timeline',
  title: 'Facts by date',
  description:
    'Facts in the order in which they began, the newest last; of an entity, or all. offset leaves out so many of the newest.',
  input: z.object({
    entity: text('only about it'),
    limit: count(1, FACTS_AT_MOST, 50),
    offset: count(0, 10_000_000, 0),
  }),
  output: z.looseObject({
    entity: z.string(),
    timeline: z.array(factShape),
    count: z.number(),
    total: z.number(),
  }),
  core: false,
  writes: false,
  async run({ entity, limit, offset }, call) {
    const { facts, total, ...rest } = factTimeline(await call.palace(), entity, { limit, offset });
    return {
      entity: rest.entity ?? 'all',
      notice: NOTICE,
      timeline: facts.map((fact) => shape(fact, new Date())),
      count: facts.length,
      total,
      offset,
    };
  },
});

const CONFLICTS_SHOWN = 20;

const stats = defineTool({
  name: 'mempalace_kg_stats',
  title: 'How many facts there are',
  description:
    'Numbers of entities and facts, the predicates in use, and facts that contradict each other now.',
  input: z.object({}),
  output: z.looseObject({
    entities: z.number(),
    triples: z.number(),
    current_facts: z.number(),
    expired_facts: z.number(),
    relationship_types: z.array(z.string()),
  }),
  core: false,
  writes: false,
  async run(_, call) {
    const { entities, triples, current, notCurrent, predicates, conflicts } = graphStats(
      await call.palace(),
      new Date(),
    );
    return {
      notice: NOTICE,
      entities,
      triples,
      current_facts: current,
      expired_facts: notCurrent,
      relationship_types: predicates.map((each) => each.predicate),
      conflicts: conflicts.slice(0, CONFLICTS_SHOWN),
    };
  },
});

export const KG_TOOLS: readonly Tool[] = [query, add, invalidate, supersede, forget, timeline, stats];

/** Records a change in its own transaction. */
function recording(palace: Palace, run: RunStart): () => void {
  return () => {
    palace.runs.add(run, { exitCode: 0, counts: {}, skipped: [] });
  };
}

async function tellingOf(call: Call) {
  return { sanitiser: await call.host.sanitiser(), addedBy: call.agent, now: new Date() };
}

function sourceOf(input: {
  source_drawer_id?: string | undefined;
  source_file?: string | undefined;
  source_closet?: string | undefined;
}) {
  return {
    sourceDrawerId: input.source_drawer_id,
    sourceFile: input.source_file,
    sourceCloset: input.source_closet,
  };
}

function toldShape(fact: Fact, now: Date) {
  return { success: true, triple_id: fact.tripleId, fact: sentence(fact), details: shape(fact, now) };
}

function sentence({
  subject,
  predicate: verb,
  object,
}: Pick<Fact, 'subject' | 'predicate' | 'object'>): string {
  return `${subject} → ${verb} → ${object}`;
}

function shape(fact: Fact, now: Date) {
  return {
    triple_id: fact.tripleId,
    subject: fact.subject,
    predicate: fact.predicate,
    object: fact.object,
    valid_from: fact.validFrom,
    valid_to: fact.validTo,
    current: holdsAt(fact, secondText(now)),
    ...present({
      confidence: fact.confidence === 1 ? undefined : fact.confidence,
      source_drawer_id: fact.sourceDrawerId,
      source_file: fact.sourceFile,
      source_closet: fact.sourceCloset,
    }),
  };
}
