/** Which facts there are, when they are valid, and which contradict each other. */
import * as z from 'zod/mini';
import { BAR, line, NOTICE } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { count, field, instant, limit, moment, name, offset, text } from '../fields.js';
import { operation } from '../operation.js';
import { fitting } from '../told.js';
import { fact, factFor, PREDICATES_TOLD, printFacts, shown, shownFact, TOLD, WHOLE } from './fact.js';

const look = () => import('../../knowledge/facts/look.js');

export const questions = {
  kgQuery: operation({
    name: 'kg query',
    summary: 'Show facts about a subject or object',
    quotes: true,
    reads: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        entity: field(z.string(), 'the subject or the object', {
          cli: '<entity>',
          agents: 'person, project or thing, as shop',
        }),
        as_of: moment('facts valid at that time (default: all facts)'),
        direction: field(
          z._default(z.enum(['outgoing', 'incoming', 'both']), 'both'),
          'entity as subject, as object, or both',
          { cli: '--direction <which>', agents: 'entity is the subject, the object' },
        ),
        predicate: field(z.optional(text()), 'only facts with this predicate', {
          cli: '--predicate <name>',
          tool: null,
        }),
        limit: limit(50, 'show this many of the newest facts', 'the newest'),
      }),
    output: () =>
      z.strictObject({
        entity: z.string(),
        known: z.boolean(),
        as_of: z.nullable(instant),
        facts: z.array(z.extend(fact, { direction: z.enum(['outgoing', 'incoming']) })),
        count,
        total: count,
      }),
    async run(asked, { handle, now }) {
      const { facts, ...found } = (await look()).queryFacts(handle.get(), asked);
      const directed = facts.map((each) => ({ direction: each.direction, ...shownFact(each, now) }));
      return { ...found, facts: directed, count: facts.length };
    },
    text({ entity, known, facts, total }, terminal) {
      printFacts(facts, terminal);
      if (facts.length < total) terminal.note(`the newest ${facts.length} of ${total}: --limit shows more`);
      if (!known) terminal.note(`the palace has no facts about "${line(entity)}"`);
      else if (total === 0) terminal.note(`no such fact about "${line(entity)}"`);
      if (total === 0 && terminal.options.quiet) return 'nothing found';
    },
    address: 'The facts about a subject or object, newest last',
    tool: {
      name: 'mempalace_kg_query',
      title: 'Facts about an entity',
      description:
        'Facts about an entity, each with the time in which it is true. Ask before you state who, which or since when. as_of gives the facts of a moment; without it all facts come, past ones too.',
      core: true,
      tokens: 4_000,
      answer({ entity, known, as_of, facts, total }, tokens) {
        const all = facts.map(({ direction, ...each }) => ({ direction, ...factFor(each) }));
        const kept = fitting(all, tokens, 'last');
        return {
          entity,
          as_of,
          facts: kept,
          count: kept.length,
          ...(kept.length < total && { total }),
          ...(!known && { hint: 'no facts about it; mempalace_search looks through texts' }),
        };
      },
    },
  }),
  kgTimeline: operation({
    name: 'kg timeline',
    summary: 'Show facts by date, newest last',
    quotes: true,
    reads: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        entity: field(z.optional(text()), 'only facts about this subject or object', {
          cli: '[entity]',
          agents: 'only about it',
        }),
        as_of: moment('facts valid at that time (default: all facts)'),
        limit: limit(50, 'show this many of the newest facts', ''),
        offset: offset('skip this many of the newest facts', ''),
      }),
    output: () =>
      z.strictObject({
        entity: name,
        as_of: z.nullable(instant),
        facts: z.array(fact),
        offset: count,
        total: count,
      }),
    async run({ entity, as_of, ...page }, { handle, now }) {
      const found = (await look()).factTimeline(handle.get(), { entity, as_of }, page);
      return { ...found, facts: shown(found.facts, now), offset: page.offset };
    },
    text({ facts, offset, total }, terminal) {
      printFacts(facts, terminal);
      const before = total - facts.length - offset;
      if (before > 0) terminal.note(`${before} older: --offset ${offset + facts.length} shows more`);
      if (facts.length === 0) terminal.note(total === 0 ? 'no facts' : `no facts at offset ${offset}`);
    },
    address: 'Facts in the order in which they began, newest last',
    tool: {
      name: 'mempalace_kg_timeline',
      title: 'Facts by date',
      description:
        'Facts in the order in which they began, newest last; of an entity, or all. offset skips that many of the newest.',
      tokens: 4_000,
      answer({ entity, facts, offset, total }, tokens) {
        const timeline = fitting(facts.map(factFor), tokens, 'last');
        return { entity: entity ?? 'all', timeline, count: timeline.length, total, offset };
      },
    },
  }),
  kgStats: operation({
    name: 'kg stats',
    summary: 'Count facts and list conflicts',
    quotes: true,
    reads: true,
    inWing: WHOLE,
    input: () => z.strictObject({}),
    output: () =>
      z.strictObject({
        entities: count,
        triples: count,
        current_facts: count,
        expired_facts: count,
        relationship_types: z.array(z.strictObject({ predicate: z.string(), facts: count })),
        conflicts: z.array(
          z.strictObject({ subject: z.string(), predicate: z.string(), objects: z.array(z.string()) }),
        ),
      }),
    run: async (_, { handle, now }) => (await look()).graphStats(handle.get(), now),
    text({ entities, triples, current_facts, relationship_types, conflicts }, terminal) {
      const about = `${plural(triples, 'fact')} about ${plural(entities, 'thing')}`;
      terminal.data(`${about}, ${current_facts} current`);
      for (const { predicate, facts } of relationship_types)
        terminal.data(`  ${facts}  ${BAR}${line(predicate)}`);
      for (const { subject, predicate, objects } of conflicts)
        terminal.data(`conflict  ${BAR}${line(`${subject} ${predicate}`)}  ${objects.map(line).join(' | ')}`);
    },
    address: 'Numbers of facts, predicates and conflicts',
    tool: {
      name: 'mempalace_kg_stats',
      title: 'Numbers of facts',
      description:
        'Numbers of entities and facts, the predicates in use, and facts that contradict each other now.',
      answer: ({ relationship_types, conflicts, ...counts }) => ({
        ...counts,
        relationship_types: relationship_types.slice(0, PREDICATES_TOLD).map((each) => each.predicate),
        conflicts: conflicts
          .slice(0, TOLD)
          .map(({ objects, ...rest }) => ({ ...rest, objects: objects.slice(0, TOLD) })),
      }),
    },
  }),
  conflicts: operation({
    name: 'conflicts',
    summary: 'List facts that contradict each other now',
    quotes: true,
    reads: true,
    inWing: WHOLE,
    input: () => z.strictObject({}),
    output: () =>
      z.strictObject({
        conflicts: z.array(
          z.strictObject({ subject: z.string(), predicate: z.string(), facts: z.array(fact) }),
        ),
      }),
    async run(_, { handle, now }) {
      const found = (await look()).openConflicts(handle.get(), now);
      return { conflicts: found.map(({ facts, ...of }) => ({ ...of, facts: shown(facts, now) })) };
    },
    text({ conflicts }, terminal) {
      if (terminal.options.json) return;
      terminal.note(conflicts.length === 0 ? 'no facts contradict each other' : `conflicts (${NOTICE})`);
      for (const { subject, predicate, facts } of conflicts) {
        terminal.data(BAR + terminal.style('bold', line(`${subject} ${predicate}`)));
        for (const { triple_id, object, valid_from } of facts) {
          const since = valid_from === null ? '' : `  since ${valid_from}`;
          terminal.data(`  ${terminal.style('dim', triple_id)}  ${BAR}${line(object)}${since}`);
        }
      }
      if (conflicts.length > 0)
        terminal.note('mempalace facts resolve <id> <id> --keep <id> --because <reason> decides between two');
    },
    address: 'Facts that contradict each other now',
    tool: {
      name: 'mempalace_kg_conflicts',
      title: 'Facts that contradict each other',
      description:
        'Facts of one subject and predicate with different objects that are true now, with their ids. mempalace_kg_resolve decides between two.',
      tokens: 4_000,
      answer({ conflicts }, tokens) {
        const all = conflicts.map(({ facts, ...of }) => ({ ...of, facts: facts.map(factFor) }));
        const kept = fitting(all, tokens, 'first');
        return { conflicts: kept, count: kept.length, total: conflicts.length };
      },
    },
  }),
};
