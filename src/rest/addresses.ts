/** All addresses: those of operations, and of commands that are none. */
import * as z from 'zod/mini';
import { type Address, addressOf, type Declared, operationAddress } from '../adapters/rest.js';
import { PAGE_SETTINGS } from '../config/table.js';
import { UserError } from '../core/errors.js';
import { LOG_LEVELS, LOGS } from '../core/logs.js';
import { OUTPUTS } from '../core/suggestions.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { field, limit, text } from '../operations/fields.js';
import { status as palaceStatus, summariesOf } from '../operations/listing/status.js';
import { ask } from '../operations/operation.js';
import { drawerDocument, piecesOf, shownAs, sourceDocument } from '../operations/reading/shown.js';
import type { ServiceCall } from '../service/contract/index.js';
import { documents } from './documents.js';
import type { FeederRuns } from './feeder-runs.js';
import { machineOf, type RestHost } from './host.js';

const MOST_AROUND = 100;
const LINES = 50;
const RUNS = 5;
const MOST_RUNS = 20;
const MOST_CHARS = 100;

export interface Asked extends RestHost {
  readonly call: ServiceCall;
  readonly feederRuns: FeederRuns;
}

/** Of this program. */
const own = <Input extends z.ZodMiniObject>(declared: Declared<Asked, Input>): Address<Asked> =>
  addressOf(declared);
const nothing = () => z.strictObject({});
const key = () => field(z.enum(PAGE_SETTINGS), 'its name in the configuration file');
const natural = (usual: number, most: number, description: string) =>
  field(z._default(z.int().check(z.minimum(0)), usual), description, { most });

const show = own({
  path: '/show',
  command: 'mempalace show',
  summary: 'A whole source, or a drawer',
  input: () =>
    z.strictObject({
      name: field(text(), 'id of a drawer; key, session, file or origin of a source'),
      radius: natural(0, MOST_AROUND, 'of a drawer: neighbours on each side'),
      preview: field(z._default(z.boolean(), false), 'not counted as opened'),
    }),
  documents: ['showSource', 'showDrawer'],
  inWing: true,
  async answer(asked, { service, call }) {
    const found = await shownAs(service, asked, call);
    if (found.kind === 'drawer') return drawerDocument(found);
    return sourceDocument(found, piecesOf(found, service, call));
  },
});

const status = own({
  path: '/status',
  command: 'mempalace status',
  summary: 'What the palace contains, and its last runs',
  input: () => z.strictObject({ runs: natural(RUNS, MOST_RUNS, 'last runs') }),
  documents: ['status'],
  async answer({ runs }, { service, surroundings, config, call }) {
    const found = await ask(service, palaceStatus, { runs, summaries: summariesOf(config) }, call);
    return { ...found, ...(await surroundings(found.feeders)) };
  },
});

const doctor = own({
  path: '/doctor',
  command: 'mempalace doctor',
  summary: 'What is wrong with the installation or the palace, each finding with its next step',
  input: nothing,
  documents: ['doctor'],
  answer: async (_, asked) => z.looseObject({}).parse(await machineOf(asked).doctor(asked.call.signal)),
});

const settings = own({
  path: '/config',
  command: 'mempalace config show',
  summary: 'The settings with their origins',
  input: nothing,
  documents: ['config'],
  answer: async (_, asked) => machineOf(asked).settings(),
});

const projects = own({
  path: '/projects',
  command: 'mempalace projects',
  summary: 'The projects that `mempalace-docs --all` files',
  input: nothing,
  documents: ['projects'],
  answer: async (_, asked) => machineOf(asked).projects(),
});

const schedules = own({
  path: '/schedule',
  command: 'mempalace schedule',
  summary: 'When schedulers run the feeders next, and what they say of the last run',
  input: nothing,
  documents: ['scheduleStatus'],
  answer: async (_, asked) => machineOf(asked).schedules(),
});

const log = own({
  path: '/log',
  command: 'mempalace log',
  summary: 'The last lines of the logs, newest first',
  input: () =>
    z.strictObject({
      of: field(z.optional(z.enum(LOGS)), 'only this log'),
      level: field(z.optional(z.enum(LOG_LEVELS)), 'only lines of this level, and of more important ones'),
      limit: limit(LINES, 'rows at most'),
    }),
  documents: ['log'],
  answer: async ({ of, ...asked }, host) => machineOf(host).log({ log: of, ...asked }),
});

const docs = own({
  path: '/run/docs',
  command: 'mempalace-docs',
  summary: 'Starts filing a listed project; events tell how far it is; only the page of this machine may ask',
  input: () => z.strictObject({ project: field(text(), 'its folder, as `mempalace projects` lists it') }),
  documents: ['runStarted'],
  posts: true,
  async answer({ project }, asked) {
    const { projects } = machineOf(asked).projects();
    if (!projects.some(({ dir }) => dir === project))
      throw new UserError('not-found', `${project} is not a listed project`, {
        hint: 'mempalace projects add lists it',
      });
    return asked.feederRuns.start('mempalace-docs', ['--', project]);
  },
  logged: ['project'],
});

const session = own({
  path: '/run/session',
  command: 'mempalace-session',
  summary: 'Starts filing new and grown sessions of every agent; only the page of this machine may ask',
  input: nothing,
  documents: ['runStarted'],
  posts: true,
  answer: async (_, { feederRuns }) => feederRuns.start('mempalace-session', []),
});

const apply = own({
  path: '/metabolism/apply',
  command: 'mempalace suggestions --apply',
  summary: 'Applies a suggestion (page of this machine only)',
  input: () =>
    z.strictObject({
      id: field(z.string().check(z.regex(/^[a-z]+-[0-9a-f]+$/)), 'of the suggestion'),
      as: field(z.optional(z.enum(OUTPUTS)), 'type of the draft'),
      into: field(z.optional(text()), 'the palace of files for the draft'),
    }),
  documents: ['metabolismApplied'],
  posts: true,
  async answer({ id, ...options }, asked) {
    const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    return documents.metabolismApplied.parse(
      await machineOf(asked).applyProposal(id, given, asked.call.signal),
    );
  },
  logged: ['id', 'as', 'into'],
});

const changed = async (asked: Asked, key: string, value?: string) =>
  documents.configChanged.parse(await machineOf(asked).changeSetting(key, value, asked.call.signal));

const set = own({
  path: '/config/set',
  command: 'mempalace config set',
  summary: 'Changes a search or wake-up setting; running programs keep theirs (page of this machine only)',
  input: () =>
    z.strictObject({
      key: key(),
      value: field(text().check(z.maxLength(MOST_CHARS)), 'as on the command line'),
    }),
  documents: ['configChanged'],
  posts: true,
  answer: ({ key, value }, asked) => changed(asked, key, value),
  logged: ['key', 'value'],
});

const unset = own({
  path: '/config/unset',
  command: 'mempalace config unset',
  summary: 'Removes such a setting from the configuration file; only the page of this machine may ask',
  input: () => z.strictObject({ key: key() }),
  documents: ['configChanged'],
  posts: true,
  answer: ({ key }, asked) => changed(asked, key),
  logged: ['key'],
});

const ofOperations = NAMED_OPERATIONS.filter(([, { address }]) => address !== undefined).map(
  ([name, operation]): Address<Asked> => {
    const address = operationAddress<Asked>(name, operation);
    if (operation.ofMachine !== true) return address;
    return {
      ...address,
      async answer(given, asked) {
        machineOf(asked);
        return address.answer(given, asked);
      },
    };
  },
);

/** The reading commands; each answers what the command prints with --json. */
export const ROUTES: readonly Address<Asked>[] = [
  ...[show, status, doctor, settings, projects, schedules, log],
  ...ofOperations.filter(({ posts }) => !posts),
];

/** Those that take POST. */
export const ACTIONS: readonly Address<Asked>[] = [
  ...ofOperations.filter(({ posts }) => posts),
  ...[docs, session, apply, set, unset],
];
