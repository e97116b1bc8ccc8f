/** Search, from the question to passages. */
import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { isAbsolutePath, plainPath } from '../../core/file-path.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { OutsideWing } from '../../service/contract/outside.js';
import { conditions } from '../conditions.js';
import { field, located, within } from '../fields.js';
import { wider } from '../operation.js';
import { inItsOwn } from '../wing.js';
import { type SearchSchema, searchDocuments } from './document.js';
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
} from './fields.js';
import { type Found, idsOf } from './found.js';

const MOST_HITS = 200;
const LONGEST_CONTEXT = 1_000_000;
/** The client works in no folder. */
const NOWHERE = { folders: [], locations: [] };

const input = () =>
  z.strictObject({
    query: question('[question...]'),
    ...conditions(),
    here: field(z.optional(z.boolean()), 'only the project of the working folder', {
      off: ['--everywhere', 'do not prefer the project of the working folder'],
      address: null,
      tool: 'scope',
      agents: "here: only the client's project; everywhere: do not prefer it",
      ofAgents: () =>
        z.optional(
          z.pipe(
            z.enum(['here', 'everywhere']),
            z.transform((scope) => scope === 'here'),
          ),
        ),
    }),
    cold: cold(),
    limit: hits(MOST_HITS),
    offset: skipped(),
    exclude: exclude('exclude'),
    ...order(true),
    format: format('--format <format>'),
    links: field(
      z._default(z.boolean(), false),
      'also list documents that the hits refer to with [[links]]',
      {
        agents: 'also list documents that hits refer to with [[links]]',
      },
    ),
    explain: explain(),
    batch: field(
      z._default(z.boolean(), false),
      'one query per line on stdin, one JSON document per line on stdout',
      { terminalOnly: true, each: 'query' },
    ),
    max_distance: field(
      z.optional(z.number().check(z.minimum(0), z.maximum(2))),
      'omit hits farther in meaning',
      {
        cli: null,
        address: null,
      },
    ),
    context: field(z.optional(z.string().check(z.maxLength(LONGEST_CONTEXT))), 'why you ask; not searched', {
      cli: null,
      address: null,
    }),
    wait: patient(),
    quick: field(
      z._default(z.boolean(), false),
      'look no further than the first candidates: the first hits, perhaps not all of the page',
      { cli: null, tool: null },
    ),
    ...asker(),
    around: field(z._default(z.strictObject(located()), NOWHERE), 'where the client works', {
      hidden: true,
      usual: async (client) => (await import('../../platform/checkout.js')).aroundOf(await client.folders()),
    }),
    within: within(),
  });
export type SearchInput = z.output<ReturnType<typeof input>>;

export const search = wider<ReturnType<typeof input>, SearchSchema, Found>({
  name: 'search',
  summary: 'Find passages by words and by meaning',
  quotes: true,
  reads: true,
  groups: { wing: 'Where:', limit: 'Which and how:' },
  input,
  output: () => searchDocuments().whole,
  inWing(input, wing) {
    // An absolute path would tell whether it is in the folder of a project, of whatever wing.
    if (input.file !== undefined && isAbsolutePath(plainPath(input.file)))
      throw new OutsideWing(
        wing,
        'an absolute path is compared with all projects',
        'give the end of the path',
      );
    const cold_places = input.cold_places.filter((place) => place.startsWith(`${wing}/`));
    return { ...inItsOwn(input, wing), within: wing, cold_places, around: NOWHERE };
  },
  atTerminal({ query, batch, file }) {
    if (batch && query.trim() !== '')
      throw new UserError('usage', '--batch reads queries from stdin, not from the command line');
    if (batch) return;
    requireWords(
      query,
      file === undefined
        ? 'mempalace search "what to look for"'
        : `mempalace file ${shellQuoted(file)} lists what read, changed or spoke of it`,
    );
  },
  run: async (input, context) => (await import('./run.js')).found(input, context),
  printed: async (found, input) => (await import('./printed.js')).printed(found, input),
  isEmpty: ({ hits }) => hits.length === 0,
  finds: idsOf,
  numbered: idsOf,
  text: async (...shown) => (await import('./text.js')).say(...shown),
  long: async (...shown) => (await import('./text.js')).rendered(...shown),
  address: 'Find passages by words and by meaning',
  tool: {
    name: 'mempalace_search',
    title: 'Search the palace',
    description:
      'Finds passages of past sessions and project documents by words and by meaning; best first, word for word. A hit contains "quoted words" exactly and nothing of exclude. Then read around a hit with mempalace_timeline or mempalace_show. For many hits, ask with format index first.',
    core: true,
    tokens: 4_000,
    answer: async (...shown) => (await import('./agents.js')).searchAnswer(...shown),
  },
});
