import { z } from 'zod';
import { LOG_LEVELS, LOGS } from '../../core/logs.js';
import { status as palaceStatus, summariesOf } from '../../operations/listing/status.js';
import { ask } from '../../operations/operation.js';
import { limit, whole } from '../parameters.js';
import { defineRoute, machineOf } from '../route.js';

const ROWS = 20;
const LINES = 50;
const RUNS_OF_STATUS = 5;

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

const status = defineRoute({
  path: '/status',
  command: 'mempalace status',
  summary: 'What the palace contains, and its last runs',
  query: z.strictObject({ runs: whole(0, ROWS, 'last runs').default(RUNS_OF_STATUS) }),
  documents: ['status'],
  async answer({ runs }, { service, surroundings, config, call }) {
    const found = await ask(service, palaceStatus, { runs, summaries: summariesOf(config) }, call);
    return { ...found, ...(await surroundings(found.feeders)) };
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

export const listing = [status, doctor, settings, projects, schedules, log];
