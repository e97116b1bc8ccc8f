import { z } from 'zod';
import { leftOut } from '../../config/cold.js';
import { suggest } from '../../config/suggest.js';
import { parseDay } from '../../core/moment.js';
import { NOTICE } from '../../core/outside.js';
import { estimateTokens } from '../../reading/index.js';
import { search as find, type Hit, linkedFrom, type Related } from '../../search/index.js';
import { type DrawerFilter, ModelChanged, type Palace } from '../../store/index.js';
import { Budget } from '../budget.js';
import { count, flag, maxTokens, room, text, wing } from '../fields.js';
import { drawerShape, present, round, sourceShape, turnsShape } from '../shapes.js';
import { type Call, defineTool, type Tool } from '../tool.js';

const NAMES_SHOWN = 20;
/** A question longer than this is cut, UTF-16 units: nobody's question, and every word of it costs time. */
const LONGEST_QUESTION = 2_000;
const LONGEST_CONTEXT = 1_000_000;
/** Documents that hits lead to, named at most. */
const LINKED = 5;
/** Tokens of a text below which it says nothing. */
const LEAST_TEXT = 40;

const search = defineTool({
  name: 'mempalace_search',
  title: 'Search the palace',
  description:
    'Finds passages of past sessions and project documents by words and by meaning; best first, word for word, each with drawer_id, source, lines, date and scores. "quoted words" must stand in a hit, -word must not. Then read around a hit with mempalace_timeline or mempalace_show.',
  input: z.object({
    query: z.string().min(1).describe('the question, in your own words'),
    limit: count(1, 100, 5),
    offset: count(0, 4000, 0),
    wing,
    room,
    since: text('not older: 2026-03-01, 3d, 2w, 6mo'),
    until: text('not newer'),
    source_file: text('only sources whose path fits, as docs/*.md'),
    session_id: text('only this session'),
    links: flag('name documents, too, that hits lead to with [[links]]'),
    max_tokens: maxTokens(4000),
    max_distance: z.coerce.number().min(0).max(2).optional().describe('leave out hits farther in meaning'),
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
  writes: false,
  async run(input, call) {
    const { limit, offset, max_tokens: tokens, max_distance: far = 0 } = input;
    const query = endOf(input.query);
    const palace = await call.palace();
    const filter = filterOf(input, call);
    const { hits, trouble } = await ask(call, { question: query, filter, limit, offset });
    // 0 is no limit, as it was; a hit by words alone has no distance.
    const near = hits.filter(
      ({ scores }) => far === 0 || trouble !== undefined || 1 - scores.semantic <= far,
    );
    const notes = [
      ...(trouble === undefined ? [] : [`found by words alone: ${trouble}`]),
      ...(near.length === 0 ? nothingFound(palace, filter) : []),
      ...(query === input.query
        ? []
        : [`the question is long: its last ${LONGEST_QUESTION} characters were searched`]),
    ];
    const budget = new Budget(tokens);
    const related = input.links
      ? linkedFrom(palace, near, { limit: LINKED, filter }).map(relatedShape)
      : undefined;
    budget.spend({ query, notes, NOTICE, related });
    const kept: { hit: Hit; shape: ReturnType<typeof required> }[] = [];
    /** What the texts of those that are kept get in any case. */
    let texts = 0;
    for (const hit of near) {
      const shape = {
        ...required(hit),
        ...hitShape(hit, trouble !== undefined),
        ...turnsShape(palace, hit.drawer, hit.drawer),
      };
      const least = Math.min(LEAST_TEXT, estimateTokens(hit.drawer.text));
      const room = budget.left - texts - least;
      if (kept.length > 0 && room < estimateTokens(JSON.stringify(shape))) break;
      budget.spend(shape);
      texts += least;
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
      filters: present({ ...filter, without: undefined }),
      results: kept.map(({ hit, shape }, index) => ({
        ...shape,
        ...budget.tell(hit.drawer.text, kept.length - index, LEAST_TEXT),
      })),
      notes,
      ...(related === undefined ? {} : { related }),
    };
  },
});

export const SEARCH_TOOLS: readonly Tool[] = [search];

/** What is asked stands at the end of a long text. */
function endOf(question: string): string {
  if (question.length <= LONGEST_QUESTION) return question;
  const end = question.slice(-LONGEST_QUESTION);
  return end.replace(/^[\ud800-\udfff]?\S{0,200}\s+/u, '') || end;
}

interface Question {
  question: string;
  filter: DrawerFilter;
  limit: number;
  offset: number;
}

/** By words and by meaning where the model is there, else by words alone, with the reason. */
async function ask(call: Call, question: Question): Promise<{ hits: Hit[]; trouble: string | undefined }> {
  const { ranking, ...ranked } = rankingOf(call);
  for (;;) {
    const palace = await call.palace();
    const { embedder, reason } = call.model.now(palace.model);
    let trouble = reason;
    const onUnembedded = (error: Error): void => {
      trouble = error.message;
    };
    try {
      const options = { ...question, ...ranked, ranking, palace, embedder, onUnembedded };
      return { hits: await find(options), trouble };
    } catch (error) {
      if (!(error instanceof ModelChanged)) throw error;
      call.signal.throwIfAborted();
    }
  }
}

function rankingOf({ host }: Call) {
  const { rank: ranking, weights, halfLifeDays, by, minScore } = host.config.search;
  return { ranking, weights, halfLifeDays, by, minScore };
}

type Places = Partial<Record<'wing' | 'room' | 'since' | 'until' | 'source_file' | 'session_id', string>>;

/** @throws UserError `usage` for what is no day */
function filterOf(places: { [Key in keyof Places]?: string | undefined }, { host }: Call): DrawerFilter {
  const { since, until } = places;
  const now = new Date();
  return {
    wing: places.wing,
    room: places.room,
    since: since === undefined ? undefined : parseDay('since', since, now),
    until: until === undefined ? undefined : parseDay('until', until, now),
    source: places.source_file,
    session: places.session_id,
    without: leftOut(host.config.search.cold, places),
  };
}

function required({ drawer, score }: Hit) {
  const { drawerId, wing: inWing, room: inRoom, sourceFile } = drawer;
  return {
    drawer_id: drawerId,
    wing: inWing,
    room: inRoom,
    source_file: sourceFile,
    score: round(score),
  };
}

/** A document that a hit leads to: where it begins, and what it is. */
function relatedShape({ drawer, link, from }: Related) {
  const { title, source_file, origin } = sourceShape(drawer);
  return {
    link,
    from,
    drawer_id: drawer.drawerId,
    wing: drawer.wing,
    room: drawer.room,
    ...present({ title, source_file, origin }),
  };
}

/** A hit without its text. The names that MemPalace's users know stand beside the parts of our own score. */
function hitShape({ drawer, scores, passage, more, focus, places }: Hit, wordsAlone: boolean) {
  const { semantic, bm25, lexical, relevance } = scores;
  const meaning = wordsAlone ? {} : { similarity: round(semantic), distance: round(1 - semantic) };
  const others = [...passage, ...more].map((other) => other.drawer.drawerId);
  const also = others.filter((id) => id !== drawer.drawerId);
  return {
    ...drawerShape(drawer),
    ...sourceShape(drawer),
    created_at: drawer.contentDate ?? drawer.day,
    ...meaning,
    bm25_score: round(bm25),
    scores: { lexical: round(lexical), relevance: round(relevance), recency: round(scores.recency) },
    matched_via: viaOf(places),
    ...(focus === undefined ? {} : { focus_line: focus.lineStart }),
    ...(also.length === 0 ? {} : { also_in: also }),
  };
}

function viaOf(places: Hit['places']): string {
  if (places.lexical === undefined) return 'meaning';
  return places.semantic === undefined ? 'words' : 'words and meaning';
}

/** What may be wrong with the places that were named. */
function nothingFound(palace: Palace, { wing: inWing, room: inRoom, without = [] }: DrawerFilter): string[] {
  const rooms = palace.rooms();
  const wings = [...new Set(rooms.map((each) => each.wing))];
  const notes = ['nothing found'];
  if (inWing !== undefined && !wings.includes(inWing)) notes.push(unknown('wing', inWing, wings));
  else if (inRoom !== undefined) {
    const inside = rooms.filter((each) => inWing === undefined || each.wing === inWing);
    const names = [...new Set(inside.map((each) => each.room))];
    if (!names.includes(inRoom)) notes.push(unknown('room', inRoom, names));
  }
  if (without.length > 0)
    notes.push(`left out as cold unless named: ${without.map((place) => place.wing).join(', ')}`);
  return notes;
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const close = suggest(name, known);
  const guess = close === undefined ? '' : `, did you mean ${JSON.stringify(close)}?`;
  return `there is no ${what} ${JSON.stringify(name)}${guess} ${what}s: ${known.slice(0, NAMES_SHOWN).join(', ')}`;
}
