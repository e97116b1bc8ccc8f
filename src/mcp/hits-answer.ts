import { z } from 'zod';
import { Budget } from '../operations/budget.js';
import { drawerFor, sourceFor, turnsFor } from '../presentation/drawers.js';
import { indexLine } from '../presentation/index-entry.js';
import { estimateTokens } from '../reading/index.js';
import { matcherOf } from '../search/matches.js';
import type { Found, Hit, Related } from '../service/contract/index.js';
import { round } from './fields.js';

/** A shorter beginning of a text is useless, tokens. */
const LEAST_TEXT = 40;
/** Ids of further drawers of a hit's source, at most. */
const ALSO = 5;

/** Fields of every hit in an answer. */
const hitSchema = z.looseObject({
  drawer_id: z.string(),
  text: z.string(),
  wing: z.string(),
  room: z.string(),
  source_file: z.string(),
  score: z.number(),
});

/** The hits of an answer, whole or as one line each. */
export const hitsSchema = { results: z.array(hitSchema).optional(), index: z.array(z.string()).optional() };

export const hitFormat = z.enum(['full', 'index']).default('full').describe('index: one line per hit');

interface Wanted {
  format: z.output<typeof hitFormat>;
  /** Longest answer. */
  tokens: number;
  question: string;
}

/**
 * The first hits that fit into an answer, at least one. Long texts share the tokens that are left.
 *
 * @param others further parts of the answer
 * @returns `left`: number of hits that do not fit
 */
export function hitsWithin(
  { hits, absent, related: links }: Pick<Found, 'hits' | 'absent' | 'related'>,
  { format, tokens, question }: Wanted,
  others: Record<string, unknown>,
) {
  const budget = new Budget(tokens);
  const related = links?.map(relatedShape);
  budget.spend({ ...others, related });
  const matcher = matcherOf(question, absent);
  const shown =
    format === 'index'
      ? { index: budget.take(hits.map((hit) => indexLine(hit, matcher))) }
      : { results: resultsWithin(hits, budget) };
  const count = (shown.index ?? shown.results).length;
  return { ...shown, ...(related !== undefined && { related }), count, left: hits.length - count };
}

function resultsWithin(hits: readonly Hit[], budget: Budget) {
  const kept: { hit: Hit; shape: ReturnType<typeof hitShape> }[] = [];
  /** Tokens reserved for the texts of the kept hits. */
  let reserved = 0;
  for (const hit of hits) {
    const shape = hitShape(hit);
    const least = Math.min(LEAST_TEXT, estimateTokens(hit.drawer.text));
    const room = budget.left - reserved - least;
    if (kept.length > 0 && room < estimateTokens(JSON.stringify(shape))) break;
    budget.spend(shape);
    reserved += least;
    kept.push({ hit, shape });
  }
  return kept.map(({ hit, shape }, index) => ({
    ...shape,
    ...budget.shorten(hit.drawer.text, kept.length - index, LEAST_TEXT),
  }));
}

/** A document that a hit links to. */
function relatedShape({ drawer, link, from }: Related) {
  const { kind: _, session_id: _session, directory: _directory, ...source } = sourceFor(drawer);
  return { link, from, drawer_id: drawer.drawerId, ...source };
}

/** A hit without its text, each property once. `mempalace_show` tells where its source came from. */
function hitShape(hit: Hit) {
  const { drawer, score, scores, passage, more, focus, places, semantic } = hit;
  const { lexical, relevance } = scores;
  const { origin: _, ...source } = sourceFor(drawer);
  const others = [...passage, ...more].map((other) => other.drawer.drawerId);
  const also = others.filter((id) => id !== drawer.drawerId);
  return {
    ...drawerFor(drawer),
    ...source,
    drawer_id: drawer.drawerId,
    wing: drawer.wing,
    room: drawer.room,
    source_file: drawer.sourceFile,
    content_date: drawer.contentDate ?? drawer.day,
    score: round(score),
    ...(semantic === undefined ? {} : { similarity: round(semantic) }),
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
