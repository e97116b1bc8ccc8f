import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { PRIORITIES } from '../../core/importance.js';
import { parseDay } from '../../core/moment.js';
import { NOTICE } from '../../core/outside.js';
import { Budget } from '../../operations/budget.js';
import { didNotFit } from '../../operations/told.js';
import { collectionJson, collectionText, memberJson } from '../../presentation/collections.js';
import { present } from '../../presentation/drawers.js';
import { EXPORT_FORMATS } from '../../presentation/export-formats.js';
import { collectionNotes } from '../../presentation/found.js';
import { wordsAlone } from '../../presentation/nothing-found.js';
import { count, maxTokens, named, redactions, room, text, wing } from '../fields.js';
import { hitFormat, hitsSchema, hitsWithin } from '../hits-answer.js';
import { type Call, defineTool, type Tool } from '../tool.js';

const SET = 'collections';
const name = named().describe('of the collection');
const ids = (description: string) => z.array(named()).max(200).optional().describe(description);
const shown = z.looseObject({ name: z.string(), query: z.string().nullable() });

const build = defineTool({
  name: 'mempalace_build_collection',
  title: 'Make or change a collection',
  description:
    'Keeps a search under a name, with drawers that you add to it or exclude from it. What belongs to it is found anew each time. Called again, it changes what you give: any condition replaces all former conditions.',
  input: z.object({
    name,
    query: text('the search; without it the newest drawers of the conditions', 2_000),
    wing,
    room,
    type: text('only document, conversation, diary, drawer, checkpoint, summary or a declared type'),
    priority: z.enum(PRIORITIES).optional(),
    since: text('not older: 2026-03-01, 3d, 2w; stored as a day'),
    until: text('not newer'),
    source_file: text('only sources whose path matches, as docs/*.md'),
    session_id: text('only this session'),
    file: text('only sessions that read or changed this file'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe('drawers found at most; default 100'),
    min_score: z.coerce.number().min(0).max(1).optional(),
    add_ids: ids('drawers that always belong to it'),
    exclude_ids: ids('drawers that never do'),
    release_ids: ids('drawers that are neither any more'),
  }),
  output: z.looseObject({ success: z.boolean(), created: z.boolean(), collection: shown }),
  set: SET,
  writes: true,
  idempotent: true,
  logged: ({ name: of }, { created }) => ({ name: of, created }),
  async run(input, call) {
    const now = new Date();
    const filter = present({
      wing: input.wing,
      room: input.room,
      type: input.type,
      priority: input.priority,
      since: parseDay('since', input.since, now),
      until: parseDay('until', input.until, now),
      source: input.source_file,
      session: input.session_id,
      file: input.file,
    });
    const { collection, created, redacted } = await call.service.changeCollection(
      {
        name: input.name,
        question: input.query,
        filter: Object.keys(filter).length === 0 ? undefined : filter,
        ...{ limit: input.limit, minScore: input.min_score },
        ...{ add: input.add_ids, exclude: input.exclude_ids, release: input.release_ids },
      },
      call,
    );
    return { success: true, created, collection: collectionJson(collection), ...redactions(redacted) };
  },
});

const list = defineTool({
  name: 'mempalace_list_collections',
  title: 'List the collections',
  description: 'The stored searches of the palace with their conditions, by name.',
  input: z.object({}),
  output: z.looseObject({ collections: z.array(shown), count: z.number() }),
  set: SET,
  async run(_, call) {
    const { collections } = await call.service.collections({}, call);
    return { notice: NOTICE, collections: collections.map(collectionJson), count: collections.length };
  },
});

const which = (of: string, call: Call) => ({
  name: of,
  without: leftOut(call.host.config.search.cold, {}),
  patient: false,
});

const query = defineTool({
  name: 'mempalace_query_collection',
  title: 'Search in a collection',
  description:
    'As mempalace_search, only among the drawers that belong to a collection now; best first, word for word.',
  input: z.object({
    name,
    query: z.string().min(1).max(2_000).describe('the question, in your own words'),
    limit: count(1, 100, 5),
    offset: count(0, 4_000, 0),
    format: hitFormat,
    max_tokens: maxTokens(4_000),
  }),
  output: z.looseObject({ query: z.string(), ...hitsSchema, notes: z.array(z.string()) }),
  set: SET,
  async run({ name: of, query: question, limit, offset, format, max_tokens: tokens }, call) {
    const { rank: ranking, weights, halfLifeDays, by, minScore } = call.host.config.search;
    const asked = { question, ranking, weights, halfLifeDays, by, minScore, limit, offset };
    const found = await call.service.findInCollection({ ...which(of, call), ...asked }, call);
    const notes = [...wordsAlone(found, false), ...collectionNotes(question, found, { offset, minScore })];
    const wanted = { format, tokens, question };
    const { count, left, ...shown } = hitsWithin(found, wanted, { question, notes, NOTICE });
    if (left > 0) notes.push(didNotFit(left, offset + count));
    return { collection: of, query: question, notice: NOTICE, ...shown, notes };
  },
});

const exported = defineTool({
  name: 'mempalace_export_collection',
  title: 'Export a collection',
  description:
    'What belongs to a collection now, whole texts: added drawers, then those that its search finds, best first. next_offset says where to go on.',
  input: z.object({
    name,
    format: z.enum(EXPORT_FORMATS).default('md'),
    offset: count(0, 4_000, 0, 'drawers to skip'),
    max_tokens: maxTokens(8_000),
  }),
  output: z.looseObject({
    collection: shown,
    format: z.string(),
    count: z.number(),
    total: z.number(),
    content: z.string().optional(),
    drawers: z.array(z.looseObject({ drawer_id: z.string() })).optional(),
  }),
  set: SET,
  async run({ name: of, format, offset, max_tokens: tokens }, call) {
    const members = await call.service.collectionDrawers(which(of, call), call);
    const { collection, drawers: all } = members;
    const drawers = new Budget(tokens).take(all.slice(offset));
    const next = offset + drawers.length;
    return {
      collection: collectionJson(collection),
      notice: NOTICE,
      format,
      ...(format === 'json'
        ? { drawers: drawers.map(memberJson) }
        : { content: collectionText({ collection, drawers }, format) }),
      count: drawers.length,
      total: all.length,
      ...(next < all.length ? { next_offset: next } : {}),
      ...(members.trouble === undefined ? {} : { notes: wordsAlone(members, false) }),
    };
  },
});

/** Stored searches, and what belongs to them. */
export const COLLECTION_TOOLS: readonly Tool[] = [build, list, query, exported];
