import { z } from 'zod';
import { drawerFilter } from '../../core/drawer-filter.js';
import { parseDay } from '../../core/moment.js';
import { changedCollectionDocument, droppedCollectionDocument } from '../../presentation/collections.js';
import { defineAction } from '../action.js';
import { share, whole } from '../parameters.js';

const MOST_IDS = 1_000;
const MOST_DRAWERS = 10_000;

const ids = (description: string) =>
  z.array(z.string().min(1)).max(MOST_IDS).describe(description).optional();

const collection = defineAction({
  path: '/collection',
  command: 'mempalace collection add|exclude|remove',
  summary: 'Makes a collection, or changes it; what is absent stays',
  body: z.strictObject({
    name: z.string().min(1).describe('of the collection'),
    query: z.string().min(1).nullable().describe('what it searches; null: nothing').optional(),
    filter: drawerFilter.strict().describe('conditions, which replace all former ones').optional(),
    limit: whole(1, MOST_DRAWERS, 'drawers that its search finds, at most').optional(),
    min_score: share('leave out what has a lower score').optional(),
    add: ids('drawers that belong to it always'),
    exclude: ids('drawers that never belong to it'),
    remove: ids('drawers that are neither added nor excluded any more'),
  }),
  documents: ['collectionChanged'],
  async act({ query: question, filter, min_score: minScore, remove: release, ...rest }, { service, call }) {
    const now = new Date();
    const days = filter && {
      since: parseDay('since', filter.since, now),
      until: parseDay('until', filter.until, now),
    };
    const wanted = { ...rest, question, minScore, release, filter: filter && { ...filter, ...days } };
    return changedCollectionDocument(await service.changeCollection(wanted, call));
  },
  logged: ({ name, add = [], exclude = [], remove = [] }) => ({ name, add, exclude, remove }),
});

const drop = defineAction({
  path: '/collection/drop',
  command: 'mempalace collection drop',
  summary: 'Deletes a collection; its drawers stay',
  body: z.strictObject({ name: z.string().min(1).describe('of the collection') }),
  documents: ['collectionDrop'],
  async act(asked, { service, call }) {
    return droppedCollectionDocument(await service.dropCollection(asked, call));
  },
  logged: (body) => body,
});

export const keeping = [collection, drop];
