import { cellsOf, displayWidth } from './width.js';

/** A row on the screen: a slice of the text after `indent` spaces. */
export interface Row {
  start: number;
  end: number;
  indent: number;
}

const FENCE = /^\s*(?:```|~~~)/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;
const LIST_MARKER = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^\s+|^>\s*/;
/** A complete line: code, a heading, a row of a table, a line with a hard break. */
const ENDS = /^ {4}|^\s*(?:[#|]|\+[-|+ \w])|(?: {2}|\\|\|)$/;
/** A line that never continues the previous one. */
const OPENS = /^(?:[-*+•]\s|\d{1,3}[.)]\s|[#>|[<=~`:]|\*\*|---|___|$)/;
/** A shorter line ends its paragraph. */
const WRAPPED_FROM = 50;

/**
 * Splits a text into rows. Prose and tables are wrapped between words, with hanging indents for list items; code is cut at the
 * last column. The text contains neither tabs nor control characters except line feeds.
 *
 * @param width columns; undefined leaves lines whole
 */
export function layOut(text: string, width: number | undefined): Row[] {
  const rows: Row[] = [];
  let fenced = false;
  let listed = false;
  let start = 0;
  for (const content of text.split('\n')) {
    const fence = FENCE.test(content);
    if (fence) fenced = !fenced;
    const item = LIST_ITEM.test(content);
    // An item below another one is indented like code.
    const hard = fenced || fence || (content.startsWith('    ') && !(listed && item));
    if (/^ {0,3}\S/.test(content)) listed = item;
    if (width === undefined || displayWidth(content) <= width)
      rows.push({ start, end: start + content.length, indent: 0 });
    else rows.push(...wrapLine(text, start, start + content.length, width, hard));
    start += content.length + 1;
  }
  return rows;
}

/** Joins the wrapped lines of Markdown prose with spaces. Everything else stays as it is. */
export function joinWrapped(text: string): string {
  const lines = text.split('\n');
  let joined = lines[0] ?? '';
  let fenced = false;
  for (const [index, next] of lines.slice(1).entries()) {
    const content = lines[index] ?? '';
    const fence = FENCE.test(content);
    if (fence) fenced = !fenced;
    const ends = fenced || fence || content.length < WRAPPED_FROM || ENDS.test(content);
    const following = next.trimStart();
    joined += ends || OPENS.test(following) ? `\n${next}` : ` ${following}`;
  }
  return joined;
}

/** @param hard cut at the last column, even within a word */
function wrapLine(text: string, start: number, end: number, width: number, hard: boolean): Row[] {
  const content = text.slice(start, end);
  const marker = (hard ? undefined : LIST_MARKER.exec(content)?.[0]) ?? '';
  const hanging = Math.min(displayWidth(marker), Math.floor(width / 3));
  const rows: Row[] = [];
  let row = { from: start, used: 0, indent: 0 };
  /** The last possible break: the row's end, the next row's start, and the columns used up to there. */
  let chance: { end: number; next: number; used: number } | undefined;
  let before = '';
  for (const cell of cellsOf(content)) {
    const at = start + cell.index;
    const space = !hard && /^\s$/.test(cell.text);
    const between = cell.width === 2 || (before !== '' && displayWidth(before) === 2);
    if (!hard && !space && (/^\s$/.test(before) || between) && at > start + marker.length) {
      chance = { end: trimmedEnd(text, row.from, at), next: at, used: row.used };
    }
    if (!space && row.used + cell.width > width - row.indent && at > row.from) {
      const end = hard ? at : trimmedEnd(text, row.from, at);
      const cut = chance !== undefined && chance.end > row.from ? chance : { end, next: at, used: row.used };
      rows.push({ start: row.from, end: cut.end, indent: row.indent });
      row = { from: cut.next, used: row.used - cut.used, indent: hanging };
      chance = undefined;
    }
    row.used += cell.width;
    before = cell.text;
  }
  rows.push({ start: row.from, end: hard ? end : trimmedEnd(text, row.from, end), indent: row.indent });
  return rows;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && text[last - 1] === ' ') last -= 1;
  return last;
}
