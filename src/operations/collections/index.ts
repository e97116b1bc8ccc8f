/** Collections: stored searches with chosen drawers. */
import * as z from 'zod/mini';
import { parseDay } from '../../core/moment.js';
import { BAR, line } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import type { CollectionChange } from '../../knowledge/collections/change.js';
import { recording, write, writerOf } from '../../service/palace/writer.js';
import { warnRedacted } from '../../terminal/redactions.js';
import { type Column, renderTable } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { conditions, filter } from '../conditions.js';
import { type About, field, redacted, share, text } from '../fields.js';
import { requireWing } from '../known-names.js';
import { type Context, operation } from '../operation.js';
import { redactions } from '../told.js';
import { collection, marksOf, named, SET, searchOf, shown, stated, WHOLE } from './collection.js';
import { collectionShow } from './members.js';
import { collectionQuery } from './query.js';

const knowledge = () => import('../../knowledge/collections/change.js');

const changed = () => z.strictObject({ collection, created: z.boolean(), redacted });

/** Longest question of an agent, UTF-16 units. */
const LONGEST = 2_000;

const ids = (most: number) => z.array(text()).check(z.maxLength(most));
/** @param form their form in a terminal; null: another command sets them */
const drawers = (description: string, form: string | null, more: Omit<About, 'description'> = {}) =>
  field(z.optional(ids(1_000)), description, { cli: form, ...more, ofAgents: () => z.optional(ids(200)) });

const COLUMNS: Column[] = [{ style: 'cyan', share: 0.3 }, {}, { share: 0.6 }];

/** What a command changes in a collection by the ids that it takes. */
const marking = (verb: 'exclude' | 'remove', summary: string, description: string) =>
  operation({
    name: `collection ${verb}`,
    document: 'collectionChanged',
    summary,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        name: named(),
        ids: field(ids(1_000), description, { cli: '<id...>', hits: true }),
      }),
    output: changed,
    run: ({ name, ids }, context) => change({ name, [verb]: ids }, context),
    text: report,
  });

export const collections = {
  collectionAdd: operation({
    name: 'collection add',
    document: 'collectionChanged',
    summary: 'Make or change a collection, or add drawers to it',
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        name: named(),
        add: drawers('drawers that belong to it whatever its search finds', '[id...]', {
          hits: true,
          tool: 'add_ids',
          agents: 'drawers that always belong to it',
        }),
        query: field(z.optional(z.nullable(z.string())), 'its search; an empty one removes it', {
          cli: '--query <question>',
          agents: 'the search; without it the newest drawers of the conditions',
          ofAgents: () => z.optional(z.string().check(z.maxLength(LONGEST))),
        }),
        ...conditions({ address: null }),
        filter: field(z.optional(filter), 'conditions, which replace all former ones', {
          cli: null,
          tool: null,
        }),
        limit: field(
          z.optional(z.int().check(z.minimum(1))),
          'drawers that its search finds, up to 1000 (default: 100)',
          { agents: 'drawers found at most; default 100', most: 1_000 },
        ),
        min_score: field(z.optional(share), 'skip found drawers with a lower score, 0 to 1', {
          cli: '--min-score <x>',
          agents: '',
        }),
        exclude: drawers('drawers that never belong to it', null, {
          tool: 'exclude_ids',
          agents: 'drawers that never do',
        }),
        remove: drawers('drawers that are neither added nor excluded any more', null, {
          tool: 'release_ids',
          agents: 'drawers to add or exclude no longer',
        }),
      }),
    output: changed,
    run({ name, add, query, filter, limit, min_score, exclude, remove, ...each }, context) {
      const isStated = Object.values(each).some((value) => value !== undefined);
      const conditions = filter ?? (isStated ? each : undefined);
      return change({ name, add, query, filter: conditions, limit, min_score, exclude, remove }, context);
    },
    text: report,
    address: 'Makes a collection, or changes it; what is absent stays',
    path: '/collection',
    logged: ['name', 'add', 'exclude', 'remove'],
    tool: {
      name: 'mempalace_build_collection',
      title: 'Make or change a collection',
      description:
        'Keeps a search under a name, with drawers that you add to it or exclude from it. Its search is repeated at each use. Called again, it changes what you give: any condition replaces all former conditions.',
      set: SET,
      idempotent: true,
      answer: ({ redacted, ...done }) => ({ success: true, ...done, ...redactions(redacted) }),
      logged: ({ created }, { name }) => ({ name, created }),
    },
  }),
  collectionExclude: marking(
    'exclude',
    'Exclude drawers from a collection',
    'drawers that never belong to it',
  ),
  collectionRemove: marking('remove', 'Undo that drawers were added or excluded', 'the drawers'),
  collectionList: operation({
    name: 'collection list',
    summary: 'List the collections',
    quotes: true,
    reads: true,
    inWing: WHOLE,
    input: () => z.strictObject({}),
    output: () => z.strictObject({ collections: z.array(collection) }),
    run: async (_, { handle }) => ({
      collections: await Promise.all(handle.get().collections.all().map(shown)),
    }),
    text({ collections }, terminal) {
      const { width, style, options } = terminal;
      if (collections.length === 0 && !options.json)
        terminal.note('no collections; mempalace collection add makes one');
      const rows = collections.map((each) => [BAR + line(each.name), marksOf(each), searchOf(each)]);
      for (const row of renderTable(rows, COLUMNS, { width, paint: style })) terminal.data(row);
    },
    address: 'The collections: stored searches with chosen drawers',
    tool: {
      name: 'mempalace_list_collections',
      title: 'List the collections',
      description: 'The stored searches of the palace with their conditions, by name.',
      set: SET,
      answer: ({ collections }) => ({ collections, count: collections.length }),
    },
  }),
  collectionShow,
  collectionQuery,
  collectionDrop: operation({
    name: 'collection drop',
    summary: 'Delete a collection; its drawers stay in the palace',
    inWing: WHOLE,
    input: () => z.strictObject({ name: named() }),
    output: () => z.strictObject({ dropped: z.string() }),
    async run({ name }, context) {
      const { dropCollection } = await knowledge();
      await write(context, context.call, async (palace, run) =>
        dropCollection(palace, name, recording(palace, run)),
      );
      return { dropped: name };
    },
    text: ({ dropped }, terminal) => terminal.say(`dropped ${line(dropped)}; its drawers stay in the palace`),
    address: 'Deletes a collection; its drawers stay',
    logged: ['name'],
  }),
};

/** @throws UserError `no-such-name` for conditions with a wing that does not exist */
async function change({ filter, ...more }: CollectionChange, context: Context) {
  const { call, now } = context;
  const { changeCollection } = await knowledge();
  const day = (name: 'since' | 'until') => parseDay(name, filter?.[name], now);
  const wanted = { ...more, filter: filter && { ...filter, since: day('since'), until: day('until') } };
  const sanitiser = await writerOf(context).sanitiser();
  const done = await write(context, call, (palace, run) => {
    requireWing(filter?.wing, palace.rooms());
    return changeCollection(palace, wanted, { sanitiser, now, record: recording(palace, run) });
  });
  return { ...done, collection: await shown(done.collection) };
}

function report(
  { collection, created, redacted }: z.output<ReturnType<typeof changed>>,
  terminal: Terminal,
): void {
  const { name, added, excluded } = collection;
  const counts = stated(
    searchOf(collection),
    added > 0 && `${plural(added, 'drawer')} added`,
    excluded > 0 && `${plural(excluded, 'drawer')} excluded`,
  );
  terminal.say(`${created ? 'made' : 'changed'} ${line(name)}: ${counts || 'nothing belongs to it'}`);
  warnRedacted(redacted, terminal);
}
