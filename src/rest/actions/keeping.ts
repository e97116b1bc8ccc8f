import { z } from 'zod';
import { snakeNamed } from '../../core/case.js';
import { drawerFilter } from '../../core/drawer-filter.js';
import { PRIORITIES } from '../../core/importance.js';
import { parseDay } from '../../core/moment.js';
import { changedCollectionDocument, droppedCollectionDocument } from '../../presentation/collections.js';
import { defineAction } from '../action.js';
import { share, whole } from '../parameters.js';

const MOST_IDS = 1_000;
const MOST_DRAWERS = 10_000;

const ids = (description: string) =>
  z.array(z.string().min(1)).max(MOST_IDS).describe(description).optional();

const set = defineAction({
  path: '/set',
  command: 'mempalace set',
  summary: 'Pins a source or a drawer, or sets its priority; the answer names the former values',
  body: z
    .strictObject({
      name: z.string().min(1).describe('id of a drawer; key, session or file of a source'),
      priority: z
        .enum([...PRIORITIES, 'none'])
        .describe('`none`: that of its source or rule')
        .optional(),
      pinned: z.boolean().describe('whether every wake-up prints it').optional(),
    })
    .refine(({ priority, pinned }) => priority !== undefined || pinned !== undefined, {
      message: 'give priority or pinned',
    }),
  documents: ['set'],
  inWing: true,
  async act({ name, priority, pinned }, { service, call }) {
    const change = { priority: priority === 'none' ? null : priority, pinned };
    return snakeNamed(await service.mark({ name, paths: [], ...change }, call));
  },
  logged: ({ name, priority, pinned }) => ({ name, priority, pinned }),
});

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

export const keeping = [set, collection, drop];
