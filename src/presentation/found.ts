/** What a search found, as a document, with remarks on it. */

import { snakeNamed } from '../core/case.js';
import { coverageNote } from '../core/coverage.js';
import { NOTICE } from '../core/outside.js';
import type { Found, Hit, Related } from '../service/contract/index.js';
import { drawerFields, passageText, sourceFields, turnsIn } from './drawers.js';
import { isWeak, nothingFound, phrasesNotFound, weaklyFound } from './nothing-found.js';
import { preferenceNote } from './scope.js';

/** How a client searches more widely, in its own words. */
export interface Cures {
  /** Without preference for a project. */
  everywhere: string;
  cold: string;
}

/** Remarks about a result, without the one that only words were compared. */
export function searchNotes(
  question: string,
  found: Found,
  { offset, minScore }: { offset: number; minScore: number },
  cures: Cures,
): string[] {
  const { hits, absent, coverage, filter } = found;
  const partly = coverage && coverageNote(coverage);
  return [
    ...(partly === undefined ? [] : [partly]),
    ...(hits.length > 0 ? preferenceNote(found, cures.everywhere) : []),
    ...phrasesNotFound(absent),
    ...(hits.length === 0
      ? nothingFound(question, { filter, offset, minScore }, found, cures.cold)
      : weaklyFound(hits, { filter, offset }, cures.cold)),
  ];
}

/** The same about a search in a collection, which has no filters of its own. */
export function collectionNotes(
  question: string,
  { hits, absent }: Pick<Found, 'hits' | 'absent'>,
  { offset, minScore }: { offset: number; minScore: number },
): string[] {
  return [
    ...phrasesNotFound(absent),
    ...(hits.length === 0
      ? nothingFound(question, { filter: {}, offset, minScore }, {})
      : weaklyFound(hits, { filter: {}, offset })),
  ];
}

/**
 * @param notes sentences about the result, such as why it may be empty
 * @param hitJson the form of a hit
 */
export function searchDocument(
  question: string,
  { hits, excluded, related }: Pick<Found, 'hits' | 'excluded' | 'related'>,
  notes: readonly string[],
  hitJson: (hit: Hit) => object = wholeHit,
) {
  return {
    query: question,
    excluded,
    notice: NOTICE,
    weak: isWeak(hits),
    notes,
    hits: hits.map(hitJson),
    ...(related === undefined ? {} : { related: related.map(relatedJson) }),
  };
}

function relatedJson({ drawer, link, from }: Related) {
  const { drawerId, sourceKey, sourceFile, wing, room } = drawer;
  const title = drawer.title === '' ? null : drawer.title;
  return snakeNamed({ link, from, drawerId, sourceKey, sourceFile, wing, room, title });
}

function wholeHit(hit: Hit) {
  const { drawer, focus, passage, more } = hit;
  return {
    ...sourceFields(drawer),
    ...drawerFields(drawer),
    ...rankedJson(hit),
    focus: focus === undefined ? null : { line_start: focus.lineStart, line_end: focus.lineEnd },
    turns: turnsIn(drawer),
    text: drawer.text,
    passage: {
      line_start: passage[0]?.drawer.lineStart,
      line_end: passage.at(-1)?.drawer.lineEnd,
      drawers: passage.map(rankedJson),
      text: passageText(passage.map((other) => other.drawer)),
    },
    more: more.map(rankedJson),
  };
}

function rankedJson({ drawer, score, scores }: Hit['more'][number]) {
  return {
    drawer_id: drawer.drawerId,
    ...scoreJson({ score, scores }),
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
  };
}

/** The score of a hit and its parts, rounded. */
export function scoreJson({ score, scores }: Pick<Hit, 'score' | 'scores'>) {
  const parts = Object.entries(scores).map(([name, value]) => [name, round(value)]);
  return { score: round(score), scores: Object.fromEntries(parts) as Record<string, number> };
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
