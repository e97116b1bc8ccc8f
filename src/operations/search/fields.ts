/** Fields of every search. */
import * as z from 'zod/mini';
import { localTime } from '../../core/day.js';
import { UserError } from '../../core/errors.js';
import { GROUPINGS, RANKINGS } from '../../search/options.js';
import { type Client, field, offset, share } from '../fields.js';

/** Longest question of an agent that is searched, UTF-16 units: every word costs time. */
const LONGEST_QUESTION = 2_000;

const agents = { everywhere: 'scope everywhere searches all alike', cold: 'name the wing to search it' };
const terminal = { everywhere: '--everywhere searches all alike', cold: '--cold looks there too' };
/** No project is preferred: nobody works in a folder. */
const addresses = { everywhere: '', cold: 'cold=true looks there too' };
const curesOf = ({ home, patient }: Client) =>
  home !== undefined ? terminal : patient === false ? agents : addresses;

export const question = (form: string) =>
  field(z.string(), 'what to look for', {
    cli: form,
    address: 'q',
    agents: 'the question, in your own words',
    afar: () => z.string().check(z.trim(), z.minLength(1)),
  });

export const hits = (most: number) =>
  field(z.optional(z.int().check(z.minimum(1))), 'hits to show', {
    usual: ({ config }) => config.search.limit,
    usually: '5',
    most,
    agents: '',
    ofAgents: () => z._default(z.int().check(z.minimum(1), z.maximum(100)), 5),
  });

export const skipped = () =>
  offset('hits to skip', '', {
    ofAgents: () => z._default(z.int().check(z.minimum(0), z.maximum(4_000)), 0),
  });

export const exclude = (tool: string | null) =>
  field(z.optional(z.array(z.string())), 'skip passages with these words, in this order (repeatable)', {
    cli: '--not <words>',
    address: 'not',
    tool,
    agents: 'words that no hit contains',
    ofAgents: () => z.optional(z.array(z.string()).check(z.maxLength(64))),
  });

export const cold = (where = 'in') =>
  field(z._default(z.boolean(), false), `also ${where} cold wings and rooms (see \`mempalace config\`)`, {
    tool: null,
  });

export const format = (cli: string | null) =>
  field(z.optional(z.enum(['full', 'index'])), 'whole passages, the default, or one line per hit', {
    cli,
    address: null,
    agents: 'index: one line per hit',
    ofAgents: () => z._default(z.enum(['full', 'index']), 'full'),
  });

export const explain = () =>
  field(z._default(z.boolean(), false), 'show how each score is computed', { terminalOnly: true });

/** How hits are ordered and grouped. @param isAsked false: as the program that asks is configured */
export const order = (isAsked: boolean) => {
  const hidden = isAsked ? {} : ({ hidden: true } as const);
  return {
    min_score: field(z.optional(share), 'skip hits with a lower score, 0 to 1', {
      cli: '--min-score <x>',
      tool: null,
      usual: ({ config }) => config.search.minScore,
      ...hidden,
    }),
    rank: field(z.optional(z.enum(RANKINGS)), 'order of hits', {
      cli: '--rank <how>',
      tool: null,
      usual: ({ config }) => config.search.rank,
      usually: 'by relevance',
      ...hidden,
    }),
    by: field(z.optional(z.enum(GROUPINGS)), 'one hit per source, the default, or per drawer', {
      cli: '--by <what>',
      formerly: { auto: 'source' },
      tool: null,
      usual: ({ config }) => config.search.by,
      ...hidden,
    }),
  };
};

export const coldPlaces = () =>
  field(z._default(z.array(z.string()), []), 'cold wings and rooms', {
    hidden: true,
    usual: ({ config }) => config.search.cold,
  });

/** What the program that asks knows. */
export const asker = () => ({
  weights: field(
    z.optional(z.strictObject({ relevance: z.number(), recency: z.number(), importance: z.number() })),
    'of the parts of a score',
    { hidden: true, usual: ({ config }) => config.search.weights },
  ),
  half_life_days: field(z.optional(z.number()), 'of recency', {
    hidden: true,
    usual: ({ config }) => config.search.halfLifeDays,
  }),
  cold_places: coldPlaces(),
  local_time: field(z.optional(z.string()), 'the clock of the user, without a zone', {
    hidden: true,
    usual: ({ home }) => (home === undefined ? undefined : localTime(new Date())),
  }),
  longest: field(z.optional(z.int()), 'characters of a question that are searched, its last', {
    hidden: true,
    usual: ({ patient }) => (patient === false ? LONGEST_QUESTION : undefined),
  }),
  cures: field(
    z._default(z.strictObject({ everywhere: z.string(), cold: z.string() }), terminal),
    'how the client searches more widely, in its own words',
    { hidden: true, usual: curesOf },
  ),
});

export const patient = (address?: null) =>
  field(
    z._default(z.boolean(), true),
    'wait for a model that is being loaded; else search by words until then',
    { cli: null, ...(address === null && { address }), tool: null, usual: ({ patient = true }) => patient },
  );

/** @throws UserError `usage` for a query of white space @param hint what the user can do */
export function requireWords(query: string, hint: string): void {
  if (query.trim() === '') throw new UserError('usage', 'the query is empty', { hint });
}
