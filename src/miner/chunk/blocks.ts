import { endOfHtml, startsHtml } from './html.js';
import type { Line } from './lines.js';
import { type Row, rowOf, skipBlank } from './rows.js';

/**
 * A Markdown block scanner: which lines belong together. It follows CommonMark 0.31 and GFM in what
 * matters for cutting (fences, headings, tables, lists, quotes, HTML, indented code, front matter) and
 * ignores everything inside lines. A scanner of our own because micromark, which has offsets too, takes 4 s
 * for a megabyte (more than half of what embedding it takes) and 6 s for 200 KB of short lines; this one is
 * linear and takes 0.1 s. The tests hold it against micromark's tree.
 */
type BlockKind =
  | 'heading'
  | 'fence'
  | 'code'
  | 'table'
  | 'list'
  | 'quote'
  | 'html'
  | 'front matter'
  | 'paragraph';

/** A block as a range of lines, `from` included, `to` not; blank lines belong to the block before them. */
export interface Block {
  kind: BlockKind;
  from: number;
  to: number;
  /** Of a heading: 1 to 6. */
  depth: number;
}

const FENCE = /^(`{3,})[^`]*$|^(~{3,})/;
const ATX = /^(#{1,6})(?:[ \t]|$)/;
const BREAK = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const SETEXT = /^(?:=+|-+)[ \t]*$/;
const MARKER = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
const INTERRUPTING_MARKER = /^(?:[-+*]|1[.)])[ \t]+\S/;
const EMPTY_ITEM = /^(?:[-+*]|\d{1,9}[.)])[ \t]*$/;
const DELIMITER_ROW = /^[ \t|:-]+$/;
/** The blocks of `lines`, which lie in `text`, in order; together they are all lines. */
export function* blocksOf(text: string, lines: readonly Line[], frontMatter = false): Generator<Block> {
  const rows = lines.map((line) => rowOf(text, line));
  let at = 0;
  while (at < rows.length) {
    const from = at;
    const block = frontMatter && at === 0 ? frontMatterAt(rows) : undefined;
    const { kind, to, depth } = block ?? blockAt(rows, skipBlank(rows, at));
    at = skipBlank(rows, to);
    yield { kind, from, to: at, depth };
  }
}

type Found = Omit<Block, 'from'>;

function blockAt(rows: readonly Row[], at: number): Found {
  const row = rows[at];
  if (row === undefined) return { kind: 'paragraph', to: rows.length, depth: 0 };
  if (row.indent >= 4) return { kind: 'code', to: endOfCode(rows, at), depth: 0 };
  const fence = FENCE.exec(row.rest);
  if (fence) return { kind: 'fence', to: endOfFence(rows, at, fence[1] ?? fence[2] ?? ''), depth: 0 };
  const atx = ATX.exec(row.rest);
  if (atx?.[1]) return { kind: 'heading', to: at + 1, depth: atx[1].length };
  if (row.rest.startsWith('>')) return { kind: 'quote', to: endOfQuote(rows, at), depth: 0 };
  if (BREAK.test(row.rest)) return { kind: 'paragraph', to: at + 1, depth: 0 };
  if (MARKER.test(row.rest)) return { kind: 'list', to: endOfList(rows, at), depth: 0 };
  const html = endOfHtml(rows, at, true);
  if (html !== undefined) return { kind: 'html', to: html, depth: 0 };
  if (startsTable(rows, at)) return { kind: 'table', to: endOfTable(rows, at), depth: 0 };
  return paragraphAt(rows, at);
}

function frontMatterAt(rows: readonly Row[]): Found | undefined {
  const first = rows[0];
  if (first === undefined || first.indent > 0) return undefined;
  const fence = first.rest.trimEnd();
  if (fence !== '---' && fence !== '+++') return undefined;
  const close = rows.findIndex((row, index) => index > 0 && row.indent === 0 && row.rest.trimEnd() === fence);
  return close === -1 ? undefined : { kind: 'front matter', to: close + 1, depth: 0 };
}

function endOfFence(rows: readonly Row[], at: number, fence: string): number {
  for (let index = at + 1; index < rows.length; index++) {
    const row = rows[index];
    if (row !== undefined && row.indent < 4 && closes(fence, row.rest)) return index + 1;
  }
  return rows.length;
}

function endOfCode(rows: readonly Row[], at: number): number {
  let end = at + 1;
  for (let index = at + 1; index < rows.length; index++) {
    const row = rows[index];
    if (row === undefined || row.rest === '') continue;
    if (row.indent < 4) break;
    end = index + 1;
  }
  return end;
}

/** With lines that lack the mark but continue a paragraph in the quote. */
function endOfQuote(rows: readonly Row[], at: number): number {
  let fence: string | undefined;
  let open = false;
  let end = at;
  while (end < rows.length) {
    const row = rows[end];
    if (row === undefined) break;
    if (isQuoted(row)) {
      const quoted = row.rest.replace(/^(?:>[ \t]?)+/, '');
      open = fence === undefined && quoted.trim() !== '';
      fence = fenceAfter(fence, quoted);
      open = open && fence === undefined && !FENCE.test(quoted) && !ATX.test(quoted) && !BREAK.test(quoted);
    } else if (!open || row.rest === '' || interrupts(rows, end)) break;
    end++;
  }
  return end;
}

/** The fence that is open behind a line, given the one open before it. */
function fenceAfter(fence: string | undefined, line: string): string | undefined {
  if (fence !== undefined) return closes(fence, line) ? undefined : fence;
  const opened = FENCE.exec(line);
  return opened?.[1] ?? opened?.[2];
}

function closes(fence: string, line: string): boolean {
  const closing = line.trimEnd();
  return closing.startsWith(fence) && closing === fence.charAt(0).repeat(closing.length);
}

function isQuoted(row: Row | undefined): boolean {
  return row !== undefined && row.indent < 4 && row.rest.startsWith('>');
}

function startsTable(rows: readonly Row[], at: number): boolean {
  const header = rows[at];
  const delimiter = rows[at + 1];
  if (header === undefined || delimiter === undefined || delimiter.indent >= 4) return false;
  if (!DELIMITER_ROW.test(delimiter.rest) || !delimiter.rest.includes('-')) return false;
  if (MARKER.test(delimiter.rest)) return false;
  if (!header.rest.includes('|') && !delimiter.rest.includes('|')) return false;
  return cells(header.rest) === cells(delimiter.rest);
}

function cells(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).length;
}

function endOfTable(rows: readonly Row[], at: number): number {
  let end = at + 2;
  while (end < rows.length && rows[end]?.rest !== '' && !interrupts(rows, end)) end++;
  return end;
}

function paragraphAt(rows: readonly Row[], at: number): Found {
  let end = at + 1;
  while (end < rows.length) {
    const row = rows[end];
    if (row === undefined || row.rest === '') break;
    if (row.indent < 4 && SETEXT.test(row.rest)) {
      return { kind: 'heading', to: end + 1, depth: row.rest.startsWith('=') ? 1 : 2 };
    }
    if (interrupts(rows, end) || startsTable(rows, end)) break;
    end++;
  }
  return { kind: 'paragraph', to: end, depth: 0 };
}

/** Whether the line starts a block although a paragraph before it is not ended by a blank line. */
function interrupts(rows: readonly Row[], at: number): boolean {
  const row = rows[at];
  if (row === undefined || row.indent >= 4) return false;
  const { rest } = row;
  if (/^[\w(]/.test(rest) && !rest.startsWith('1') && !rest.startsWith('_')) return false;
  return (
    FENCE.test(rest) ||
    ATX.test(rest) ||
    rest.startsWith('>') ||
    BREAK.test(rest) ||
    INTERRUPTING_MARKER.test(rest) ||
    startsHtml(rest)
  );
}

function endOfList(rows: readonly Row[], at: number): number {
  let end = at;
  while (end < rows.length) {
    const row = rows[end];
    if (row === undefined || row.indent >= 4 || !MARKER.test(row.rest) || BREAK.test(row.rest)) break;
    end = skipBlank(rows, endOfItem(rows, end));
  }
  return end;
}

function endOfItem(rows: readonly Row[], at: number): number {
  const content = contentIndent(rows[at]);
  let lazy = !EMPTY_ITEM.test(rows[at]?.rest ?? '');
  if (!lazy && rows[at + 1]?.rest === '') return at + 1;
  let fence: string | undefined;
  let end = at + 1;
  for (let index = end; index < rows.length; index++) {
    const row = rows[index];
    if (row === undefined) break;
    if (row.rest === '') {
      lazy = false;
      continue;
    }
    const inside = row.indent >= content;
    if (!inside && (!lazy || interrupts(rows, index) || MARKER.test(row.rest))) break;
    fence = inside ? fenceAfter(fence, row.rest) : fence;
    lazy = fence === undefined && !FENCE.test(row.rest) && !ATX.test(row.rest);
    end = index + 1;
  }
  return end;
}

/** Columns that the lines of an item must be indented by. */
function contentIndent(row: Row | undefined): number {
  if (row === undefined) return 0;
  const marker = MARKER.exec(row.rest)?.[0].length ?? 0;
  const after = /^[ \t]*/.exec(row.rest.slice(marker))?.[0].replaceAll('\t', '    ').length ?? 0;
  const blank = row.rest.length === marker + after;
  return row.indent + marker + (blank || after > 4 || after === 0 ? 1 : after);
}

/**
 * The items of a list, or the content of a quote or of one item, with the container's markers taken off the
 * lines: what is to be scanned when the whole is too long.
 */
export function insideOf(text: string, kind: 'list' | 'quote', lines: readonly Line[]): Line[][] {
  const rows = lines.map((line) => rowOf(text, line));
  if (kind === 'quote') return [lines.map((line) => ({ ...line, text: behindQuoteMark(text, line) }))];
  const items: Line[][] = [];
  let at = 0;
  while (at < rows.length) {
    const row = rows[at];
    const isItem = row !== undefined && MARKER.test(row.rest);
    const end = isItem ? Math.max(at + 1, skipBlank(rows, endOfItem(rows, at))) : at + 1;
    const columns = contentIndent(row);
    items.push(
      lines
        .slice(at, end)
        .map((line, index) => ({ ...line, text: behindColumns(text, line, columns, isItem && index === 0) })),
    );
    at = end;
  }
  return items;
}

function behindQuoteMark(text: string, line: Line): number {
  let at = line.text;
  while (at < line.end && (text[at] === ' ' || text[at] === '\t')) at++;
  if (text[at] !== '>') return line.text;
  return text[at + 1] === ' ' ? at + 2 : at + 1;
}

/** Skips indentation, on an item's first line the marker too, up to a number of columns. */
function behindColumns(text: string, line: Line, columns: number, marker: boolean): number {
  let at = line.text;
  for (let column = 0; column < columns && at < line.end; at++) {
    const character = text[at];
    if (character === '\n' || character === '\r') break;
    if (character === '\t') column += 4 - (column % 4);
    else if (character === ' ' || marker) column++;
    else break;
  }
  return at;
}
