import { BAR, quotable, TEE } from '../core/outside.js';
import type { TurnMark } from '../core/turns.js';
import { type Spoken, spokenIn } from '../reading/speakers.js';
import type { Match, Matcher } from '../search/matches.js';
import type { Drawer } from '../service/contract/index.js';
import type { Paint } from './io.js';
import { roomIn, type View } from './labels.js';
import { joinWrapped, layOut, type Row } from './layout.js';

/** Heading of a text without a speaker. */
export const TEXT = 'text';

/** Drawers of one source, split by speaker. */
export function partsOf(drawers: readonly Drawer[]): Spoken[] {
  if (drawers[0]?.kind === 'conversation') return spokenIn(drawers, marksOf(drawers));
  return spokenIn(drawers, undefined).map(({ speaker = TEXT, text }) => ({ speaker, text }));
}

/** Each once: the mark that runs at the beginning of a drawer may be in the one before. */
function marksOf(drawers: readonly Drawer[]): TurnMark[] | 'unknown' {
  if (drawers.some(({ turns }) => turns === null)) return 'unknown';
  const marks = new Map(drawers.flatMap(({ turns }) => turns ?? []).map((mark) => [mark.start, mark]));
  return [...marks.values()].sort((one, other) => one.start - other.start);
}

export interface QuoteOptions {
  /** Columns before the bar. */
  indent?: number;
  /** Rows at most: those around the matches. */
  rows?: number;
  matcher?: Matcher | undefined;
  /** Rewraps Markdown prose. */
  reflow?: boolean;
}

export interface Quote {
  /** Painted rows with their bar. */
  rows: string[];
  /** Number of omitted rows. */
  hidden: number;
}

/** A text of the palace as rows behind a bar, each part below a line with its speaker. */
export function quote(
  parts: readonly Spoken[],
  { width, paint }: Pick<View, 'width' | 'paint'>,
  options: QuoteOptions = {},
): Quote {
  const indent = ' '.repeat(options.indent ?? 0);
  const headings: { at: number; speaker: string | undefined; empty: boolean }[] = [];
  let shown = '';
  for (const { speaker, text } of parts) {
    const tidy = quotable(text, width !== undefined)
      .replace(/^(?:[ ]*\n)+/, '')
      .trimEnd();
    if (headings.length > 0) shown += '\n';
    headings.push({ at: shown.length, speaker, empty: tidy === '' });
    shown += options.reflow === true && width !== undefined ? joinWrapped(tidy) : tidy;
  }
  const matches = options.matcher?.(shown) ?? [];
  const rows = layOut(shown, roomIn(width, indent.length));
  const window = options.rows === undefined ? rows : around(rows, matches, options.rows);
  const chosen = window.slice(window.findIndex((row) => row.end > row.start));
  let current: (typeof headings)[number] | undefined;
  return {
    rows: chosen.flatMap((row) => {
      const heading = headings.findLast(({ at }) => at <= row.start);
      const isNew = heading !== current && heading?.speaker !== undefined;
      current = heading;
      const said = indent + BAR + painted(shown, row, matches, paint);
      if (!isNew) return [said];
      const above = indent + TEE + paint('dim', heading.speaker ?? '');
      return heading.empty ? [above] : [above, said];
    }),
    hidden: rows.length - chosen.length,
  };
}

/** The rows with the most matches; the first rows without any match. */
function around(rows: readonly Row[], matches: readonly Match[], count: number): readonly Row[] {
  if (rows.length <= count) return rows;
  const termsOf = rows.map((row) =>
    matches.filter((match) => match.start < row.end && match.end > row.start).map((match) => match.term),
  );
  let best = { from: 0, distinct: 0, all: 0 };
  for (let from = 0; from + count <= rows.length; from += 1) {
    const terms = termsOf.slice(from, from + count).flat();
    const distinct = new Set(terms).size;
    if (distinct > best.distinct || (distinct === best.distinct && terms.length > best.all))
      best = { from, distinct, all: terms.length };
  }
  // Up to two rows before the first match give context.
  const first = termsOf.findIndex((terms, index) => index >= best.from && terms.length > 0);
  const last = termsOf.findLastIndex((terms, index) => index < best.from + count && terms.length > 0);
  const slack = first === -1 ? 0 : Math.max(0, Math.min(count - (last - first + 1), 2));
  const from = first === -1 ? 0 : Math.max(0, Math.min(first - slack, rows.length - count));
  return rows.slice(from, from + count);
}

function painted(text: string, row: Row, matches: readonly Match[], paint: Paint): string {
  let result = ' '.repeat(row.indent);
  let at = row.start;
  for (const match of matches) {
    if (match.end <= row.start || match.start >= row.end) continue;
    const start = Math.max(match.start, row.start);
    const end = Math.min(match.end, row.end);
    result += text.slice(at, start) + paint('match', text.slice(start, end));
    at = end;
  }
  return result + text.slice(at, row.end);
}
