/** What a search found, for agents. */
import { NOTICE } from '../../core/outside.js';
import { estimateTokens } from '../../core/tokens.js';
import { matcherOf } from '../../search/matches.js';
import { Budget } from '../budget.js';
import { drawerJson, sourceJson } from '../drawer-fields.js';
import { drawerFor, sourceFor } from '../source.js';
import { didNotFit, told } from '../told.js';
import type { Found, Hit, Related } from './found.js';
import { indexLine } from './index-entry.js';
import { wordsAlone } from './notes.js';

/** A shorter beginning of a text is useless, tokens. */
const LEAST_TEXT = 40;
/** Ids of further drawers of a hit's source, at most. */
const ALSO = 5;

/** @param given the tool's input, with what the program that asked has added */
export function searchAnswer(found: Found, tokens: number, given: Record<string, unknown>) {
  const { query, excluded } = found;
  const { wing, room, since, until, source, session, file, type, priority, here } = given;
  const isCut = query !== given.query;
  const cut = `the question is long: its last ${Number(given.longest)} characters were searched`;
  const scope = here === undefined ? undefined : here === true ? 'here' : 'everywhere';
  const filters = told({ wing, room, since, until, source, session, file, type, priority, scope });
  return {
    query,
    ...(isCut && { query_sanitized: true }),
    notice: NOTICE,
    ...(excluded.length > 0 && { excluded }),
    filters,
    ...hitsFor(found, tokens, given, isCut ? [cut] : []),
  };
}

/** The first hits that fit into an answer, at least one, and remarks. Long texts share the tokens that are left. */
export function hitsFor(
  { query, hits, absent, notes: remarks, trouble, related: links }: Found,
  tokens: number,
  { format, offset }: Record<string, unknown>,
  more: readonly string[] = [],
) {
  const budget = new Budget(tokens);
  const related = links?.map(relatedShape);
  const notes = [...wordsAlone({ trouble }, false), ...remarks, ...more];
  budget.spend({ query, notes, NOTICE, related });
  const matcher = matcherOf(query, absent);
  const shown =
    format === 'index'
      ? { index: budget.take(hits.map((hit) => indexLine(hit, matcher))) }
      : { results: resultsWithin(hits, budget) };
  const count = (shown.index ?? shown.results).length;
  const left = hits.length - count;
  if (left > 0) notes.push(didNotFit(left, Number(offset) + count));
  return { ...shown, ...(related !== undefined && { related }), count, notes };
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
  const {
    kind: _,
    session_id: _session,
    directory: _directory,
    ...source
  } = sourceFor(sourceJson(drawer, 0));
  return { link, from, drawer_id: drawer.drawerId, ...source };
}

/** A hit without its text, each property once. `mempalace_show` tells where its source came from. */
function hitShape(hit: Hit) {
  const { drawer, score, scores, passage, more, focus, places, semantic } = hit;
  const { lexical, relevance } = scores;
  const { origin: _, ...source } = sourceFor(sourceJson(drawer, 0));
  const others = [...passage, ...more].map((other) => other.drawer.drawerId);
  const also = others.filter((id) => id !== drawer.drawerId);
  return {
    ...drawerFor(drawerJson(drawer), drawer),
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
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
