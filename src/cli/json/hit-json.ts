import { NOTICE } from '../../core/outside.js';
import type { Hit, Ranked, Related } from '../../search/index.js';
import type { SearchConfig } from '../commands/search/config.js';
import { type Matcher, matcherOf } from '../terminal/matches.js';
import { isWeak } from '../terminal/nothing-found.js';
import { passageText, type TurnsOf } from '../terminal/passage.js';
import { indexEntry } from '../terminal/print-hits.js';
import { turnsJson } from './reading-json.js';

/**
 * What `mempalace search --json` prints, and `--batch` for each question.
 *
 * @param beside.notes sentences about the result, such as why there may be nothing
 * @param beside.related documents that those of the hits link to; undefined where nobody asked for them
 */
export function searchJson(
  question: string,
  hits: readonly Hit[],
  { format }: Pick<SearchConfig, 'format'>,
  {
    notes,
    related,
    turnsOf,
  }: { notes: readonly string[]; related: readonly Related[] | undefined; turnsOf: TurnsOf },
): Record<string, unknown> {
  const matcher = matcherOf(question);
  return {
    query: question,
    notice: NOTICE,
    weak: isWeak(hits),
    notes,
    hits: hits.map((hit) => (format === 'index' ? indexJson(hit, matcher) : hitJson(hit, turnsOf))),
    ...(related === undefined ? {} : { related: related.map(relatedJson) }),
  };
}

function relatedJson({ drawer, link, from }: Related): Record<string, unknown> {
  const { drawerId, sourceKey, sourceFile, wing, room, title } = drawer;
  return {
    link,
    from,
    drawer_id: drawerId,
    source_key: sourceKey,
    source_file: sourceFile,
    wing,
    room,
    title: title === '' ? null : title,
  };
}

function indexJson(hit: Hit, matcher: Matcher): Record<string, unknown> {
  const { drawerId, date, wing, room, title, snippet } = indexEntry(hit, matcher);
  return {
    drawer_id: drawerId,
    date,
    wing,
    room,
    title: title === '' ? null : title,
    snippet,
    score: round(hit.score),
    scores: scoresJson(hit),
  };
}

/** The shape is documented in docs/json-output.md. */
function hitJson(hit: Hit, turnsOf: TurnsOf): Record<string, unknown> {
  const { drawer } = hit;
  return {
    ...rankedJson(hit),
    wing: drawer.wing,
    room: drawer.room,
    kind: drawer.kind,
    source_file: drawer.sourceFile,
    origin: drawer.origin,
    directory: drawer.directory,
    focus: hit.focus === undefined ? null : { line_start: hit.focus.lineStart, line_end: hit.focus.lineEnd },
    session_id: drawer.sessionId,
    title: drawer.title === '' ? null : drawer.title,
    context: drawer.context === '' ? null : drawer.context,
    role: drawer.role,
    priority: drawer.priority,
    pinned: drawer.pinned === 1,
    turns: turnsJson(drawer, turnsOf),
    text: drawer.text,
    passage: passageOf(hit),
    more: hit.more.map(rankedJson),
  };
}

function rankedJson({ drawer, score, scores }: Ranked): Record<string, unknown> {
  return {
    drawer_id: drawer.drawerId,
    score: round(score),
    scores: scoresJson({ scores }),
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
  };
}

function scoresJson({ scores }: Pick<Ranked, 'scores'>): Record<string, number> {
  return Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, round(value)]));
}

function passageOf({ passage }: Hit): Record<string, unknown> {
  return {
    line_start: passage[0]?.drawer.lineStart,
    line_end: passage.at(-1)?.drawer.lineEnd,
    drawers: passage.map(rankedJson),
    text: passageText(passage.map(({ drawer }) => drawer)),
  };
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
