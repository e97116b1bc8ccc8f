import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { factFor, factStatsDocument } from '../../presentation/facts.js';
import { Budget } from '../budget.js';
import { count, factName, factSchema, MOMENT, maxTokens, text } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';
import { KG_WRITING_TOOLS } from './kg-writing.js';

const FACTS_AT_MOST = 500;

const query = defineTool({
  name: 'mempalace_kg_query',
  title: 'Facts about an entity',
  description:
    'Facts about an entity, each with the time in which it is true. Ask before you state who, which or since when. as_of gives the facts of a moment; without it all facts come, past ones too.',
  input: z.object({
    entity: factName('person, project or thing, as shop'),
    as_of: text(MOMENT),
    direction: z
      .enum(['outgoing', 'incoming', 'both'])
      .default('both')
      .describe('entity is the subject, the object'),
    limit: count(1, FACTS_AT_MOST, 50, 'the newest'),
    max_tokens: maxTokens(4_000),
  }),
  output: z.looseObject({
    entity: z.string(),
    as_of: z.string().nullable(),
    facts: z.array(factSchema.extend({ direction: z.string() })),
    count: z.number(),
  }),
  core: true,
  async run({ entity, as_of: asOf, direction, limit, max_tokens: tokens }, call) {
    const answer = await call.service.facts({ entity, asOf, direction, limit }, call);
    const { total, known } = answer;
    const directed = answer.facts.map((fact) => ({
      direction: fact.direction,
      ...factFor(fact, new Date()),
    }));
    const facts = newest(directed, tokens);
    return {
      entity: answer.entity,
      as_of: answer.asOf,
      notice: NOTICE,
      facts,
      count: facts.length,
      ...(facts.length < total ? { total } : {}),
      ...(known ? {} : { hint: 'no facts about it; mempalace_search looks through texts' }),
    };
  },
});

const timeline = defineTool({
  name: 'mempalace_kg_timeline',
  title: 'Facts by date',
  description:
    'Facts in the order in which they began, newest last; of an entity, or all. offset skips that many of the newest.',
  input: z.object({
    entity: text('only about it'),
    as_of: text(MOMENT),
    limit: count(1, FACTS_AT_MOST, 50),
    offset: count(0, 10_000_000, 0),
    max_tokens: maxTokens(4_000),
  }),
  output: z.looseObject({
    entity: z.string(),
    timeline: z.array(factSchema),
    count: z.number(),
    total: z.number(),
  }),
  async run({ entity, as_of: asOf, limit, offset, max_tokens: tokens }, call) {
    const asked = { entity, asOf, limit, offset };
    const { total, entity: about, facts } = await call.service.factTimeline(asked, call);
    const shown = facts.map((fact) => factFor(fact, new Date()));
    const kept = newest(shown, tokens);
    return { entity: about ?? 'all', notice: NOTICE, timeline: kept, count: kept.length, total, offset };
  },
});

const CONFLICTS_SHOWN = 20;
const PREDICATES_SHOWN = 200;

/** The last facts that fit. */
function newest<T>(facts: readonly T[], tokens: number): T[] {
  return new Budget(tokens).take([...facts].reverse()).reverse();
}

const stats = defineTool({
  name: 'mempalace_kg_stats',
  title: 'Numbers of facts',
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
  async run(_, call) {
    const stats = await call.service.factStats({}, call);
    const { relationship_types: predicates, conflicts, ...counts } = factStatsDocument(stats);
    return {
      ...counts,
      relationship_types: predicates.slice(0, PREDICATES_SHOWN).map((each) => each.predicate),
      conflicts: conflicts
        .slice(0, CONFLICTS_SHOWN)
        .map(({ objects, ...rest }) => ({ ...rest, objects: objects.slice(0, CONFLICTS_SHOWN) })),
    };
  },
});

export const KG_TOOLS: readonly Tool[] = [query, ...KG_WRITING_TOOLS, timeline, stats];
