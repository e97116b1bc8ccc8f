import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { PRIORITIES } from '../../core/importance.js';
import { parseDay } from '../../core/moment.js';
import { NOTICE } from '../../core/outside.js';
import { didNotFit } from '../../operations/told.js';
import { present } from '../../presentation/drawers.js';
import { searchNotes } from '../../presentation/found.js';
import { wordsAlone } from '../../presentation/nothing-found.js';
import { aroundOf, SCOPES } from '../../presentation/scope.js';
import { count, flag, maxTokens, room, text, wing } from '../fields.js';
import { hitFormat, hitsSchema, hitsWithin } from '../hits-answer.js';
import { defineTool, type Tool } from '../tool.js';

/** Longest question that is searched, UTF-16 units: every word costs time. */
const LONGEST_QUESTION = 2_000;
const LONGEST_CONTEXT = 1_000_000;
/** Linked documents, at most. */
const LINKED = 5;
const CURES = { everywhere: 'scope everywhere searches all alike', cold: 'name the wing to search it' };

const search = defineTool({
  name: 'mempalace_search',
  title: 'Search the palace',
  description:
    'Finds passages of past sessions and project documents by words and by meaning; best first, word for word. A hit contains "quoted words" exactly and nothing of exclude. Then read around a hit with mempalace_timeline or mempalace_show. For many hits, ask with format index first.',
  input: z.object({
    query: z.string().min(1).describe('the question, in your own words'),
    exclude: z.array(z.string()).max(64).optional().describe('words that no hit contains'),
    limit: count(1, 100, 5),
    offset: count(0, 4000, 0),
    wing,
    room,
    scope: z
      .enum(SCOPES)
      .optional()
      .describe("here: only the client's project; everywhere: do not prefer it"),
    since: text('not older: 2026-03-01, 3d, 2w, 6mo'),
    until: text('not newer'),
    source_file: text('only sources whose path matches, as docs/*.md'),
    session_id: text('only this session'),
    file: text('only sessions that read or changed this file: a path or its end'),
    type: text('only document, conversation, diary, drawer, checkpoint, summary or a declared type'),
    priority: z.enum(PRIORITIES).optional(),
    links: flag('also list documents that hits refer to with [[links]]'),
    format: hitFormat,
    max_tokens: maxTokens(4000),
    max_distance: z.coerce.number().min(0).max(2).optional().describe('omit hits farther in meaning'),
    context: text('why you ask; not searched', LONGEST_CONTEXT),
  }),
  output: z.looseObject({
    query: z.string(),
    notice: z.string(),
    ...hitsSchema,
    notes: z.array(z.string()),
    related: z.array(z.looseObject({ link: z.string(), from: z.string(), drawer_id: z.string() })).optional(),
  }),
  inWing: true,
  core: true,
  async run(input, call) {
    const { limit, offset, format, max_tokens: tokens, max_distance: far = 0 } = input;
    const query = endOf(input.query);
    const now = new Date();
    const given = {
      wing: input.wing,
      room: input.room,
      since: parseDay('since', input.since, now),
      until: parseDay('until', input.until, now),
      source: input.source_file,
      session: input.session_id,
      file: input.file,
      type: input.type,
      priority: input.priority,
      without: leftOut(call.host.config.search.cold, input),
    };
    const { rank: ranking, weights, halfLifeDays, by, minScore } = call.host.config.search;
    const found = await call.service.find(
      {
        ...{
          question: query,
          excluded: input.exclude,
          filter: given,
          around: aroundOf(await call.folders(), input.scope),
        },
        ...{ ranking, weights, halfLifeDays, by, minScore, limit, offset },
        // 0 means no limit, as in MemPalace.
        maxDistance: far === 0 ? undefined : far,
        links: input.links ? LINKED : undefined,
        patient: false,
      },
      call,
    );
    const { excluded } = found;
    const notes = [
      ...wordsAlone(found, false),
      ...searchNotes(query, found, { offset, minScore }, CURES),
      ...(query === input.query
        ? []
        : [`the question is long: its last ${LONGEST_QUESTION} characters were searched`]),
    ];
    const wanted = { format, tokens, question: query };
    const { count, left, ...shown } = hitsWithin(found, wanted, { query, notes, NOTICE });
    if (left > 0) notes.push(didNotFit(left, offset + count));
    return {
      query,
      ...(query === input.query ? {} : { query_sanitized: true }),
      notice: NOTICE,
      ...(excluded.length === 0 ? {} : { excluded }),
      filters: present({ ...given, without: undefined, scope: input.scope }),
      ...shown,
      notes,
    };
  },
});

export const SEARCH_TOOLS: readonly Tool[] = [search];

/** Keeps the end of a long text, where the question usually is. */
function endOf(question: string): string {
  if (question.length <= LONGEST_QUESTION) return question;
  const end = question.slice(-LONGEST_QUESTION);
  return end.replace(/^[\ud800-\udfff]?\S{0,200}\s+/u, '') || end;
}
