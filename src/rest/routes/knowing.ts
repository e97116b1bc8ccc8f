import { z } from 'zod';
import { dayInWords } from '../../core/moment.js';
import { diaryDocument } from '../../presentation/diary.js';
import { factStatsDocument, factsDocument, factTimelineDocument } from '../../presentation/facts.js';
import { limit, name, offset } from '../parameters.js';
import { defineRoute } from '../route.js';

const FACTS = 50;
const ENTRIES = 10;

const query = defineRoute({
  path: '/kg/query',
  command: 'mempalace kg query',
  summary: 'The facts about a subject or object, newest last',
  query: z.strictObject({
    entity: z.string().min(1).describe('the subject or the object'),
    as_of: name('only facts valid at this moment'),
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
    const asOf = as_of && (dayInWords(as_of, now) ?? as_of);
    return factsDocument(await service.facts({ ...asked, asOf }, call), now);
  },
});

const timeline = defineRoute({
  path: '/kg/timeline',
  command: 'mempalace kg timeline',
  summary: 'Facts in the order in which they began, newest last',
  query: z.strictObject({ entity: name('only facts about this'), limit: limit(FACTS), offset }),
  documents: ['kgTimeline'],
  async answer(asked, { service, call }) {
    const found = await service.factTimeline(asked, call);
    return factTimelineDocument(found, { now: new Date(), offset: asked.offset });
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
  async answer(asked, { service, call }) {
    return diaryDocument(await service.readDiary(asked, call), asked.offset);
  },
});

export const knowing = [query, timeline, stats, diary];
