/** Searches in a collection. */
import * as z from 'zod/mini';
import { NOTICE } from '../../core/outside.js';
import { wider } from '../operation.js';
import { type SearchSchema, searchDocuments } from '../search/document.js';
import {
  asker,
  cold,
  exclude,
  explain,
  format,
  hits,
  order,
  patient,
  question,
  requireWords,
  skipped,
} from '../search/fields.js';
import { type Found, idsOf } from '../search/found.js';
import { named, SET, WHOLE } from './collection.js';

const MOST_HITS = 1_000;

const input = () =>
  z.strictObject({
    name: named(),
    query: question('<question...>'),
    limit: hits(MOST_HITS),
    offset: skipped(),
    exclude: exclude(null),
    cold: cold('from'),
    explain: explain(),
    format: format(null),
    ...order(false),
    wait: patient(null),
    ...asker(),
  });

export const collectionQuery = wider<ReturnType<typeof input>, SearchSchema, Found>({
  name: 'collection query',
  document: 'search',
  summary: 'Search in a collection',
  quotes: true,
  reads: true,
  inWing: WHOLE,
  input,
  output: () => searchDocuments().whole,
  atTerminal: ({ name, query }) =>
    requireWords(query, `mempalace collection query ${name} "what to look for"`),
  async run({ name, cold, cold_places, ...asked }, context) {
    const { belongingTo } = await import('./belonging.js');
    const { foundWith } = await import('../search/run.js');
    const which = { name, cold: cold ? [] : cold_places, patient: asked.wait };
    const { drawers } = await belongingTo(context, which, context.call.signal);
    const filter = { drawers: drawers.map(({ drawer }) => drawer.drawerId) };
    return foundWith(asked, context, { filter, told: {} });
  },
  printed: async (found) => (await import('../search/printed.js')).printed(found, {}),
  text: async (...shown) => (await import('../search/text.js')).say(...shown),
  long: async (...shown) => (await import('../search/text.js')).rendered(...shown),
  numbered: idsOf,
  address: 'Find passages among what belongs to a collection now',
  tool: {
    name: 'mempalace_query_collection',
    title: 'Search in a collection',
    description:
      'As mempalace_search, only among the drawers that belong to a collection now; best first, word for word.',
    set: SET,
    tokens: 4_000,
    async answer(found, tokens, given) {
      const { hitsFor } = await import('../search/agents.js');
      return { collection: given.name, query: found.query, notice: NOTICE, ...hitsFor(found, tokens, given) };
    },
  },
});
