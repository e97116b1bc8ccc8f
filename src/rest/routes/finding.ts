import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { parseDay } from '../../core/moment.js';
import { agentOf } from '../../knowledge/diary/agent.js';
import { searchDocument, searchNotes } from '../../presentation/found.js';
import { wordsAlone } from '../../presentation/nothing-found.js';
import { aroundOf } from '../../presentation/scope.js';
import { drawerDocument, piecesOf, sourceDocument } from '../../presentation/shown.js';
import { LEAST_TOKENS, wakeUpAsked, wakeUpDocument } from '../../presentation/wake-up.js';
import { GROUPINGS, RANKINGS } from '../../search/options.js';
import { flag, name, offset, priority, share, texts, whole } from '../parameters.js';
import { defineRoute } from '../route.js';

/** Linked documents to list, at most. */
const LINKED = 5;
const MOST_HITS = 200;
const MOST_AROUND = 100;
const MOST_TOKENS = 100_000;

/** No project is preferred: nobody works in a folder. */
const CURES = { everywhere: '', cold: 'cold=true looks there too' };

const search = defineRoute({
  path: '/search',
  command: 'mempalace search',
  summary: 'Find passages by words and by meaning',
  query: z.strictObject({
    q: z
      .string()
      .trim()
      .min(1)
      .describe('the question; "quoted words" and -"quoted words" as in the command'),
    not: texts('skip passages with these words; may be given more than once'),
    wing: name('only in this wing'),
    room: name('only in this room'),
    since: name('not older than a day, 3d, 2w, 6mo, or words'),
    until: name('not newer than this'),
    source: name('only sources whose path matches this glob'),
    session: name('only this session'),
    directory: name('only sessions and documents of this folder or below'),
    file: name('only sessions that read or changed this file: an absolute path, or the end of one'),
    type: name('only document, conversation, diary, drawer, or a type that documents declare'),
    priority,
    cold: flag('also in cold wings and rooms'),
    rank: z.enum(RANKINGS).describe('order of hits').optional(),
    by: z.enum(GROUPINGS).describe('a hit is a source, or a drawer').optional(),
    min_score: share('leave out hits with a lower score').optional(),
    limit: whole(1, MOST_HITS, 'hits at most').optional(),
    offset,
    links: flag('also documents that the hits link to'),
    wait: z
      .enum(['true', 'false'])
      .default('true')
      .describe('wait for a model that is being loaded; else search by words until then'),
    quick: flag('look no further than the first candidates: the first hits, perhaps not all of the page'),
  }),
  documents: ['search'],
  inWing: true,
  async answer(
    { q: question, not: excluded, cold, links, wait, quick, min_score, ...given },
    { service, config, call },
  ) {
    const { wing, room, source, session, directory, file, type, rank, by, offset, ...rest } = given;
    const { search } = config;
    const now = new Date();
    const [since, until] = [parseDay('since', rest.since, now), parseDay('until', rest.until, now)];
    const place = { wing, room, source, session, directory, file };
    const without = cold === 'true' ? [] : leftOut(search.cold, place);
    const minScore = min_score ?? search.minScore;
    const found = await service.find(
      {
        question,
        excluded,
        filter: { ...place, without, since, until, type, priority: rest.priority },
        around: aroundOf([], 'everywhere'),
        ranking: rank ?? search.rank,
        weights: search.weights,
        halfLifeDays: search.halfLifeDays,
        by: by ?? search.by,
        minScore,
        limit: rest.limit ?? search.limit,
        offset,
        links: links === 'true' ? LINKED : undefined,
        patient: wait === 'true',
        quick: quick === 'true',
      },
      call,
    );
    const notes = searchNotes(question, found, { offset, minScore }, CURES);
    return searchDocument(question, found, [...wordsAlone(found, true), ...notes]);
  },
});

const show = defineRoute({
  path: '/show',
  command: 'mempalace show',
  summary: 'A whole source, or a drawer',
  query: z.strictObject({
    name: z.string().min(1).describe('id of a drawer; key, session, file or origin of a source'),
    radius: whole(0, MOST_AROUND, 'of a drawer: neighbours on each side').default(0),
  }),
  documents: ['showSource', 'showDrawer'],
  inWing: true,
  async answer({ name, radius }, { service, call }) {
    const found = await service.show({ name, paths: [], radius }, call);
    if (found.kind === 'drawer') return drawerDocument(found);
    return sourceDocument(found, piecesOf(found, service, call));
  },
});

const wakeUp = defineRoute({
  path: '/wake-up',
  command: 'mempalace wake-up',
  summary: 'What an agent is told at the start of a session',
  query: z.strictObject({
    wing: name('only this wing'),
    folder: name('in place of a wing: what a session in this folder is told, absolute'),
    everywhere: flag('from the whole palace; default: what a session outside all projects is told'),
    agent: name('only the diary of this agent'),
    tokens: whole(LEAST_TOKENS, MOST_TOKENS, 'tokens at most').optional(),
  }),
  documents: ['wakeUp'],
  inWing: true,
  async answer({ agent, tokens, wing, folder, everywhere }, { service, config, call }) {
    const budget = tokens ?? config.wakeUp.tokens;
    const isWhole = wing !== undefined || everywhere === 'true';
    const folders = folder !== undefined ? [folder] : isWhole ? undefined : [];
    const asked = { wing, folders, tokens: budget, agent: agent === undefined ? undefined : agentOf(agent) };
    const { input } = wakeUpAsked(config, asked);
    return wakeUpDocument(await service.wakeUp(input, call), budget);
  },
});

export const finding = [search, show, wakeUp];
