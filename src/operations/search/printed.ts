/** What a search found, as its document. */

import { type Matcher, matcherOf } from '../../search/matches.js';
import { drawerFields, passageText, sourceFields, turnsIn } from '../drawer-fields.js';
import type { SearchDocument } from './document.js';
import type { Found, Hit, Related } from './found.js';
import { indexEntry } from './index-entry.js';
import { wordsAlone } from './notes.js';

export function printed(
  { trouble, ...found }: Found,
  { format }: { format?: string | undefined },
): SearchDocument {
  const { query, excluded, weak, hits } = found;
  const matcher = matcherOf(query, found.absent);
  return {
    ...{ query, excluded: [...excluded], weak, notes: [...wordsAlone({ trouble }, true), ...found.notes] },
    // The index is a document of its own.
    hits: hits.map((each) =>
      format === 'index' ? indexed(each, matcher) : whole(each),
    ) as SearchDocument['hits'],
    ...(found.related && { related: found.related.map(relatedTo) }),
  };
}

function relatedTo({ drawer, link, from }: Related): NonNullable<SearchDocument['related']>[number] {
  const { source_file, wing, room, title } = sourceFields(drawer);
  const { drawerId: drawer_id, sourceKey: source_key } = drawer;
  return { link, from, drawer_id, source_key, source_file, wing, room, title };
}

function whole(hit: Hit) {
  const { drawer, focus, passage, more } = hit;
  const [first = hit, last = first] = [passage[0], passage.at(-1)];
  return {
    ...sourceFields(drawer),
    ...drawerFields(drawer),
    ...rankedAs(hit),
    focus: focus === undefined ? null : { line_start: focus.lineStart, line_end: focus.lineEnd },
    turns: turnsIn(drawer),
    text: drawer.text,
    passage: {
      line_start: first.drawer.lineStart,
      line_end: last.drawer.lineEnd,
      drawers: passage.map(rankedAs),
      text: passageText(passage.map((other) => other.drawer)),
    },
    more: more.map(rankedAs),
  };
}

function indexed(hit: Hit, matcher: Matcher) {
  const { drawerId: drawer_id, title, ...entry } = indexEntry(hit, matcher);
  const named = title === '' ? null : title;
  return { drawer_id, ...entry, title: named, more_passages: hit.more.length, ...scoresOf(hit) };
}

function rankedAs({ drawer, ...scores }: Hit['more'][number]) {
  const { drawerId: drawer_id, lineStart: line_start, lineEnd: line_end, contentDate: content_date } = drawer;
  return { drawer_id, ...scoresOf(scores), line_start, line_end, content_date };
}

/** The score of a hit and its parts, rounded. */
function scoresOf({ score, scores }: Pick<Hit, 'score' | 'scores'>) {
  const parts = Object.entries(scores).map(([name, value]) => [name, round(value)]);
  return { score: round(score), scores: Object.fromEntries(parts) as Record<string, number> };
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
