import { eastAsianWidth } from 'get-east-asian-width';

const ASCII = /^[\x20-\x7e]*$/;
/** Marks, format characters and controls take no column. */
const NO_COLUMN = /^[\p{M}\p{Cf}\p{Cc}]/u;
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u;
/** A grapheme, its UTF-16 offset, and its width in columns: 0, 1 or 2. */
export interface Cell {
  text: string;
  index: number;
  width: number;
}

let segmenter: Intl.Segmenter | undefined;

/** The segmenter is created on first use: that takes 15 ms. */
function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The graphemes of a text with their widths; a tab counts as one column. */
export function* cellsOf(text: string): Generator<Cell> {
  for (const { segment, index } of graphemesOf(text)) {
    yield { text: segment, index, width: widthOfGrapheme(segment) };
  }
}

/** Columns that a text of one line takes. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const cell of cellsOf(text)) width += cell.width;
  return width;
}

/** Cuts a text to `width` columns, with an ellipsis. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return `${start(text, width - 1)}…`;
}

/** Shortens a text to `width` columns in its middle, since both ends of a path matter most. */
export function shortenMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const head = Math.floor((width - 1) / 3);
  return `${start(text, head)}…${end(text, width - 1 - head)}`;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function start(text: string, width: number): string {
  let used = 0;
  for (const cell of cellsOf(text)) {
    used += cell.width;
    if (used > width) return text.slice(0, cell.index);
  }
  return text;
}

function end(text: string, width: number): string {
  let used = 0;
  for (const cell of [...cellsOf(text)].reverse()) {
    used += cell.width;
    if (used > width) return text.slice(cell.index + cell.text.length);
  }
  return text;
}

function widthOfGrapheme(grapheme: string): number {
  if (grapheme === '\t') return 1;
  if (NO_COLUMN.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
