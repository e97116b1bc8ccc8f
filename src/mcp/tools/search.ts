import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { coverageNote } from '../../core/coverage.js';
import { PRIORITIES } from '../../core/importance.js';
import { parseDay } from '../../core/moment.js';
import { NOTICE } from '../../core/outside.js';
import { drawerFor, present, sourceFor, turnsFor } from '../../presentation/drawers.js';
import { nothingFound, phrasesNotFound, weaklyFound, wordsAlone } from '../../presentation/nothing-found.js';
import { aroundOf, preferenceNote, SCOPES } from '../../presentation/scope.js';
import { estimateTokens } from '../../reading/index.js';
import type { Hit, Related } from '../../service/contract/index.js';
import { Budget } from '../budget.js';
import { count, flag, maxTokens, room, round, text, wing } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';

/** Longest question that is searched, UTF-16 units: every word costs time. */
const LONGEST_QUESTION = 2_000;
const LONGEST_CONTEXT = 1_000_000;
/** Linked documents, at most. */
const LINKED = 5;
/** A shorter beginning of a text is useless, tokens. */
const LEAST_TEXT = 40;
/** Ids of further drawers of a hit's source, at most. */
const ALSO = 5;
const COLD_CURE = 'name the wing to search it';
const SCOPE_CURE = 'scope everywhere searches all alike';

const search = defineTool({
  name: 'mempalace_search',
  title: 'Search the palace',
  description:
    'Finds passages of past sessions and project documents by words and by meaning; best first, word for word, each with drawer_id, source, lines, date and scores. A hit contains "quoted words" exactly (if none does, a note says so) and never -word. Then read around a hit with mempalace_timeline or mempalace_show.',
  input: z.object({
    query: z.string().min(1).describe('the question, in your own words'),
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
    type: text('only document, conversation, diary, drawer, checkpoint or a declared type'),
    priority: z.enum(PRIORITIES).optional(),
    links: flag('also list documents that hits refer to with [[links]]'),
    max_tokens: maxTokens(4000),
    max_distance: z.coerce.number().min(0).max(2).optional().describe('omit hits farther in meaning'),
    context: text('why you ask; not searched', LONGEST_CONTEXT),
  }),
  output: z.looseObject({
    query: z.string(),
    notice: z.string(),
    results: z.array(
      z.looseObject({
        drawer_id: z.string(),
        text: z.string(),
        wing: z.string(),
        room: z.string(),
        source_file: z.string(),
        score: z.number(),
      }),
    ),
    notes: z.array(z.string()),
    related: z.array(z.looseObject({ link: z.string(), from: z.string(), drawer_id: z.string() })).optional(),
  }),
  core: true,
  async run(input, call) {
    const { limit, offset, max_tokens: tokens, max_distance: far = 0 } = input;
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
        ...{ question: query, filter: given, around: aroundOf(await call.folders(), input.scope) },
        ...{ ranking, weights, halfLifeDays, by, minScore, limit, offset },
        // 0 means no limit, as in MemPalace.
        maxDistance: far === 0 ? undefined : far,
        links: input.links ? LINKED : undefined,
        patient: false,
      },
      call,
    );
    const { hits: near, absent, filter, coverage } = found;
    const partly = coverage && coverageNote(coverage);
    const notes = [
      ...wordsAlone(found, false),
      ...(partly === undefined ? [] : [partly]),
      ...phrasesNotFound(absent),
      ...(near.length === 0
        ? nothingFound(query, { filter, offset, minScore }, found, COLD_CURE)
        : [...preferenceNote(found, SCOPE_CURE), ...weaklyFound(near, { filter, offset }, COLD_CURE)]),
      ...(query === input.query
        ? []
        : [`the question is long: its last ${LONGEST_QUESTION} characters were searched`]),
    ];
    const budget = new Budget(tokens);
    const related = found.related?.map(relatedShape);
    budget.spend({ query, notes, NOTICE, related });
    const kept: { hit: Hit; shape: ReturnType<typeof hitShape> }[] = [];
    /** Tokens reserved for the texts of the kept hits. */
    let reserved = 0;
    for (const hit of near) {
      const shape = hitShape(hit);
      const least = Math.min(LEAST_TEXT, estimateTokens(hit.drawer.text));
      const room = budget.left - reserved - least;
      if (kept.length > 0 && room < estimateTokens(JSON.stringify(shape))) break;
      budget.spend(shape);
      reserved += least;
      kept.push({ hit, shape });
    }
    if (kept.length < near.length)
      notes.push(
        `no room for ${near.length - kept.length} more: offset ${offset + kept.length}, or max_tokens`,
      );
    return {
      query,
      ...(query === input.query ? {} : { query_sanitized: true }),
      notice: NOTICE,
      filters: present({ ...given, without: undefined, scope: input.scope }),
      results: kept.map(({ hit, shape }, index) => ({
        ...shape,
        ...budget.shorten(hit.drawer.text, kept.length - index, LEAST_TEXT),
      })),
      notes,
      ...(related === undefined ? {} : { related }),
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

/** A document that a hit links to. */
function relatedShape({ drawer, link, from }: Related) {
  const { kind: _, session_id: _session, directory: _directory, ...source } = sourceFor(drawer);
  return { link, from, drawer_id: drawer.drawerId, ...source };
}

/** A hit without its text, with MemPalace's names next to the parts of this search's score. */
function hitShape(hit: Hit) {
  const { drawer, score, scores, passage, more, focus, places, semantic } = hit;
  const { bm25, lexical, relevance } = scores;
  const meaning =
    semantic === undefined ? {} : { similarity: round(semantic), distance: round(1 - semantic) };
  const others = [...passage, ...more].map((other) => other.drawer.drawerId);
  const also = others.filter((id) => id !== drawer.drawerId);
  return {
    ...drawerFor(drawer),
    ...sourceFor(drawer),
    drawer_id: drawer.drawerId,
    wing: drawer.wing,
    room: drawer.room,
    source_file: drawer.sourceFile,
    score: round(score),
    created_at: drawer.contentDate ?? drawer.day,
    ...meaning,
    bm25_score: round(bm25),
    scores: { lexical: round(lexical), relevance: round(relevance), recency: round(scores.recency) },
    matched_via:
      places.lexical === undefined
        ? 'meaning'
        : places.semantic === undefined
          ? 'words'
          : 'words and meaning',
    ...(focus === undefined ? {} : { focus_line: focus.lineStart }),
    ...(also.length === 0 ? {} : { also_in: also.slice(0, ALSO) }),
    ...(also.length > ALSO ? { more_in_source: also.length - ALSO } : {}),
    ...turnsFor(drawer),
  };
}
