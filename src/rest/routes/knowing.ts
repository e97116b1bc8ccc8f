import { z } from 'zod';
import { dayOrText } from '../../core/moment.js';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { checkpointDocument, checkpointsDocument, noCheckpoint } from '../../presentation/checkpoints.js';
import { conflictsDocument } from '../../presentation/conflicts.js';
import { diaryDocument } from '../../presentation/diary.js';
import { factStatsDocument, factsDocument, factTimelineDocument } from '../../presentation/facts.js';
import { OCCURRENCES_SHOWN, patternsJson } from '../../presentation/patterns.js';
import { limit, name, offset } from '../parameters.js';
import { defineRoute } from '../route.js';

const FACTS = 50;
const ENTRIES = 10;
const PATTERNS = 20;
const CHECKPOINTS = 20;

const asOf = name('only facts valid at this moment');

const query = defineRoute({
  path: '/kg/query',
  command: 'mempalace kg query',
  summary: 'The facts about a subject or object, newest last',
  query: z.strictObject({
    entity: z.string().min(1).describe('the subject or the object'),
    as_of: asOf,
    direction: z
      .enum(['outgoing', 'incoming', 'both'])
      .default('both')
      .describe('entity as subject, object, or both'),
    predicate: name('only facts with this predicate'),
    limit: limit(FACTS),
  }),
  documents: ['kgQuery'],
  async answer({ as_of, ...asked }, { service, call }) {
    const now = new Date();
    return factsDocument(await service.facts({ ...asked, asOf: dayOrText(as_of, now) }, call), now);
  },
});

const timeline = defineRoute({
  path: '/kg/timeline',
  command: 'mempalace kg timeline',
  summary: 'Facts in the order in which they began, newest last',
  query: z.strictObject({
    entity: name('only facts about this'),
    as_of: asOf,
    limit: limit(FACTS),
    offset,
  }),
  documents: ['kgTimeline'],
  async answer({ as_of, ...asked }, { service, call }) {
    const now = new Date();
    const found = await service.factTimeline({ ...asked, asOf: dayOrText(as_of, now) }, call);
    return factTimelineDocument(found, { now, offset: asked.offset });
  },
});

const stats = defineRoute({
  path: '/kg/stats',
  command: 'mempalace kg stats',
  summary: 'Numbers of facts, predicates and conflicts',
  query: z.strictObject({}),
  documents: ['kgStats'],
  async answer(_, { service, call }) {
    return factStatsDocument(await service.factStats({}, call));
  },
});

const diary = defineRoute({
  path: '/diary',
  command: 'mempalace diary read',
  summary: 'Diary entries, newest first',
  query: z.strictObject({
    agent: name('only the diary of this agent'),
    topic: name('only this topic'),
    wing: name('only this wing'),
    limit: limit(ENTRIES),
    offset,
  }),
  documents: ['diaryRead'],
  inWing: true,
  async answer(asked, { service, call }) {
    return diaryDocument(await service.readDiary(asked, call), asked.offset);
  },
});

const conflicts = defineRoute({
  path: '/conflicts',
  command: 'mempalace conflicts',
  summary: 'Facts that contradict each other now',
  query: z.strictObject({}),
  documents: ['conflicts'],
  async answer(_, { service, call }) {
    return conflictsDocument(await service.conflicts({}, call), new Date());
  },
});

const patterns = defineRoute({
  path: '/patterns',
  command: 'mempalace patterns',
  summary: 'What recurs across sessions, most often first',
  query: z.strictObject({
    kind: z.enum(PATTERN_KINDS).describe('only this kind').optional(),
    file: name('only errors that concern this file, or were fixed by changing it'),
    directory: name('only errors of sessions in this folder and below, absolute'),
    limit: limit(PATTERNS),
    offset,
  }),
  documents: ['patterns'],
  async answer(asked, { service, call }) {
    return patternsJson(await service.patterns({ ...asked, occurrences: OCCURRENCES_SHOWN }, call));
  },
});

const checkpoints = defineRoute({
  path: '/checkpoint/list',
  command: 'mempalace checkpoint list',
  summary: 'Where sessions stood, newest first',
  query: z.strictObject({
    session: name('only of this session: its key or its id'),
    limit: limit(CHECKPOINTS),
    offset,
  }),
  documents: ['checkpointList'],
  inWing: true,
  async answer({ session, ...page }, { service, call }) {
    const found = await service.checkpoints({ name: session, ...page }, call);
    return checkpointsDocument(found, page.offset);
  },
});

const checkpoint = defineRoute({
  path: '/checkpoint/show',
  command: 'mempalace checkpoint show',
  summary: 'A checkpoint',
  query: z.strictObject({
    name: z.string().min(1).describe('its key, or the id of a session for the last one'),
  }),
  documents: ['checkpointShow'],
  inWing: true,
  async answer({ name }, { service, call }) {
    const { checkpoints } = await service.checkpoints({ name, limit: 1, offset: 0 }, call);
    if (checkpoints[0] === undefined) throw noCheckpoint(name);
    return checkpointDocument(checkpoints[0]);
  },
});

export const knowing = [query, timeline, stats, conflicts, diary, patterns, checkpoints, checkpoint];
