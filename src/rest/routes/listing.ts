import { z } from 'zod';
import { LOG_LEVELS, LOGS } from '../../core/logs.js';
import { parseDay } from '../../core/moment.js';
import {
  daysDocument,
  roomsDocument,
  runsDocument,
  sourcesDocument,
  statusDocument,
  wingsDocument,
} from '../../presentation/listing.js';
import { LEAST_USES, metabolismAsked, metabolismDocument, OLD_DAYS } from '../../presentation/metabolism.js';
import { roomMapJson } from '../../presentation/room-map.js';
import { limit, name, offset, priority, whole } from '../parameters.js';
import { defineRoute, machineOf } from '../route.js';

const ROWS = 20;
const LINES = 50;
const RUNS_OF_STATUS = 5;
const MOST_DAYS = 100_000;

/** All rows, unless a limit is named. */
const openPage = { limit: limit(ROWS).unwrap().optional(), offset };

const wings = defineRoute({
  path: '/list/wings',
  command: 'mempalace list wings',
  summary: 'The wings',
  query: z.strictObject(openPage),
  documents: ['listWings'],
  inWing: true,
  async answer({ limit = null, offset }, { service, call }) {
    return wingsDocument(await service.places({}, call), { limit, offset });
  },
});

const rooms = defineRoute({
  path: '/list/rooms',
  command: 'mempalace list rooms',
  summary: 'The rooms',
  query: z.strictObject({ wing: name('only in this wing'), ...openPage }),
  documents: ['listRooms'],
  inWing: true,
  async answer({ wing, limit = null, offset }, { service, call }) {
    return roomsDocument(await service.places({ wing }, call), { limit, offset });
  },
});

const sources = defineRoute({
  path: '/list/sources',
  command: 'mempalace list sources',
  summary: 'Documents and sessions, newest first',
  query: z.strictObject({
    wing: name('only in this wing'),
    room: name('only in this room'),
    type: name('only of this type'),
    priority,
    limit: limit(ROWS),
    offset,
  }),
  documents: ['listSources'],
  inWing: true,
  async answer({ limit, offset, ...filter }, { service, call }) {
    const page = { limit, offset };
    return sourcesDocument(await service.sources({ filter, ...page }, call), page);
  },
});

const days = defineRoute({
  path: '/list/days',
  command: 'mempalace list days',
  summary: 'How many sources have their newest content on each day, newest first',
  query: z.strictObject({
    wing: name('only in this wing'),
    since: name('not older than a day, 3d, 2w, 6mo, or words'),
    ...openPage,
  }),
  documents: ['listDays'],
  inWing: true,
  async answer({ wing, limit = null, offset, ...given }, { service, call }) {
    const since = parseDay('since', given.since, new Date());
    return daysDocument(await service.days({ wing, since }, call), { limit, offset });
  },
});

const map = defineRoute({
  path: '/map',
  command: 'mempalace map',
  summary: 'The rooms of the palace as a tree, with the day of their newest content',
  query: z.strictObject({ wing: name('only this wing') }),
  documents: ['map'],
  inWing: true,
  async answer(asked, { service, config, call }) {
    return roomMapJson(await service.roomMap(asked, call), config.search.cold);
  },
});

const metabolism = defineRoute({
  path: '/metabolism',
  command: 'mempalace metabolism',
  summary: 'What is often used, proved itself, or was never used, as proposals',
  query: z.strictObject({
    least_uses: whole(1, Number.MAX_SAFE_INTEGER, 'uses that are often').default(LEAST_USES),
    old_days: whole(1, MOST_DAYS, 'days after which content is old').default(OLD_DAYS),
  }),
  documents: ['metabolism'],
  async answer({ least_uses: leastUses, old_days: oldDays }, { service, config, call }) {
    const asked = metabolismAsked({ leastUses, oldDays }, config.search.cold, Date.now());
    return metabolismDocument(await service.metabolism(asked, call));
  },
});

const projects = defineRoute({
  path: '/projects',
  command: 'mempalace projects',
  summary: 'The projects that `mempalace-docs --all` files',
  query: z.strictObject({}),
  documents: ['projects'],
  async answer(_, asked) {
    return machineOf(asked).projects();
  },
});

const settings = defineRoute({
  path: '/config',
  command: 'mempalace config show',
  summary: 'The settings with their origins',
  query: z.strictObject({}),
  documents: ['config'],
  async answer(_, asked) {
    return machineOf(asked).settings();
  },
});

const schedules = defineRoute({
  path: '/schedule',
  command: 'mempalace schedule',
  summary: 'When schedulers run the feeders next, and what they say of the last run',
  query: z.strictObject({}),
  documents: ['scheduleStatus'],
  async answer(_, asked) {
    return machineOf(asked).schedules();
  },
});

const log = defineRoute({
  path: '/log',
  command: 'mempalace log',
  summary: 'The last lines of the logs, newest first',
  query: z.strictObject({
    of: z.enum(LOGS).describe('only this log').optional(),
    level: z.enum(LOG_LEVELS).describe('only lines of this level, and of more important ones').optional(),
    limit: limit(LINES),
  }),
  documents: ['log'],
  async answer({ of, ...asked }, host) {
    return machineOf(host).log({ log: of, ...asked });
  },
});

const runs = defineRoute({
  path: '/list/runs',
  command: 'mempalace list runs',
  summary: 'Runs of the programs, newest first',
  query: z.strictObject({ limit: limit(ROWS), offset }),
  documents: ['listRuns'],
  async answer(page, { service, call }) {
    return runsDocument(await service.runs(page, call), page);
  },
});

const status = defineRoute({
  path: '/status',
  command: 'mempalace status',
  summary: 'What the palace contains, and its last runs',
  query: z.strictObject({ runs: whole(0, ROWS, 'last runs').default(RUNS_OF_STATUS) }),
  documents: ['status'],
  async answer({ runs }, { service, surroundings, call }) {
    const found = await service.status({ runs, shortWrites: false }, call);
    return statusDocument(found, await surroundings(found.feeders));
  },
});

const doctor = defineRoute({
  path: '/doctor',
  command: 'mempalace doctor',
  summary: 'What is wrong with the installation or the palace, each finding with its next step',
  query: z.strictObject({}),
  documents: ['doctor'],
  async answer(_, asked) {
    return z.looseObject({}).parse(await machineOf(asked).doctor(asked.call.signal));
  },
});

export const listing = [
  wings,
  rooms,
  days,
  map,
  sources,
  metabolism,
  runs,
  status,
  doctor,
  settings,
  projects,
  schedules,
  log,
];
