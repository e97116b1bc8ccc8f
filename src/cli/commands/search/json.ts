import { snakeNamed } from '../../../core/case.js';
import { NOTICE } from '../../../core/outside.js';
import { drawerFields, passageText, sourceFields, turnsIn } from '../../../presentation/drawers.js';
import { isWeak } from '../../../presentation/nothing-found.js';
import type { Hit, Related } from '../../../service/contract/index.js';
import type { Matcher } from '../../terminal/matches.js';
import { indexEntry } from '../../terminal/print-hits.js';
import type { SearchConfig } from './config.js';

/**
 * The document of `mempalace search --json`, and of each query with `--batch`.
 *
 * @param about.notes sentences about the result, such as why it may be empty
 * @param about.related documents that the hits link to; undefined without --links
 */
export function searchJson(
  question: string,
  hits: readonly Hit[],
  { format }: Pick<SearchConfig, 'format'>,
  about: {
    notes: readonly string[];
    related: readonly Related[] | undefined;
    matcher: Matcher;
  },
): Record<string, unknown> {
  const { notes, related, matcher } = about;
  return {
    query: question,
    notice: NOTICE,
    weak: isWeak(hits),
    notes,
    hits: hits.map((hit) => (format === 'index' ? indexJson(hit, matcher) : hitJson(hit))),
    ...(related === undefined ? {} : { related: related.map(relatedJson) }),
  };
}

function relatedJson({ drawer, link, from }: Related): Record<string, unknown> {
  const { drawerId, sourceKey, sourceFile, wing, room } = drawer;
  const title = drawer.title === '' ? null : drawer.title;
  return snakeNamed({ link, from, drawerId, sourceKey, sourceFile, wing, room, title });
}

function indexJson(hit: Hit, matcher: Matcher): Record<string, unknown> {
  const { drawerId, title, ...entry } = indexEntry(hit, matcher);
  return {
    drawer_id: drawerId,
    ...entry,
    title: title === '' ? null : title,
    more_passages: hit.more.length,
    score: round(hit.score),
    scores: scoresJson(hit),
  };
}

/** The shape is documented in docs/json-output.md. */
function hitJson(hit: Hit): Record<string, unknown> {
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

function rankedJson({ drawer, score, scores }: Hit['more'][number]): Record<string, unknown> {
  return {
    drawer_id: drawer.drawerId,
    score: round(score),
    scores: scoresJson({ scores }),
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
  };
}

function scoresJson({ scores }: Pick<Hit, 'scores'>): Record<string, number> {
  return Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, round(value)]));
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
