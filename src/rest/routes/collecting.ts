import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { collectionsDocument, membersJson } from '../../presentation/collections.js';
import { collectionNotes, searchDocument } from '../../presentation/found.js';
import { wordsAlone } from '../../presentation/nothing-found.js';
import { flag, limit, offset, texts } from '../parameters.js';
import { defineRoute } from '../route.js';

const named = z.string().min(1).describe('of the collection');
const cold = flag('also from cold wings and rooms');

const collections = defineRoute({
  path: '/collection/list',
  command: 'mempalace collection list',
  summary: 'The collections: stored searches with chosen drawers',
  query: z.strictObject({}),
  documents: ['collectionList'],
  async answer(_, { service, call }) {
    return collectionsDocument(await service.collections({}, call));
  },
});

const collection = defineRoute({
  path: '/collection/show',
  command: 'mempalace collection show',
  summary: 'A collection, and what belongs to it now',
  query: z.strictObject({ name: named, cold }),
  documents: ['collectionShow'],
  async answer({ name, cold }, { service, config, call }) {
    const without = cold === 'true' ? [] : leftOut(config.search.cold, {});
    return membersJson(await service.collectionDrawers({ name, without, patient: true }, call));
  },
});

const query = defineRoute({
  path: '/collection/query',
  command: 'mempalace collection query',
  summary: 'Find passages among what belongs to a collection now',
  query: z.strictObject({
    name: named,
    q: z.string().trim().min(1).describe('the question'),
    not: texts('skip passages with these words; may be given more than once'),
    cold,
    limit: limit(1).unwrap().optional(),
    offset,
  }),
  documents: ['search'],
  async answer({ name, q: question, not: excluded, cold, limit, offset }, { service, config, call }) {
    const { rank: ranking, weights, halfLifeDays, by, minScore } = config.search;
    const without = cold === 'true' ? [] : leftOut(config.search.cold, {});
    const asked = { question, excluded, ranking, weights, halfLifeDays, by, minScore, offset };
    const found = await service.findInCollection(
      { name, without, patient: true, ...asked, limit: limit ?? config.search.limit },
      call,
    );
    const notes = [...wordsAlone(found, true), ...collectionNotes(question, found, { offset, minScore })];
    return searchDocument(question, found, notes);
  },
});

export const collecting = [collections, collection, query];
