const ASCII = /^[\x20-\x7e]*$/;
/** Marks, format characters and controls stand in no column of their own. */
const NO_COLUMN = /^[\p{M}\p{Cf}\p{Cc}]/u;
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u;
/**
 * Characters of two columns, but emoji: the blocks that Unicode's EastAsianWidth.txt gives as wide or
 * fullwidth, from first to last.
 */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** A character as people count them, where it begins (UTF-16), and how many columns it takes: 0, 1 or 2. */
export interface Cell {
  text: string;
  index: number;
  width: number;
}

let segmenter: Intl.Segmenter | undefined;

/** Made when it is first needed: that takes 15 ms. */
function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The characters of a text with their columns; a tab counts as one. */
export function* cellsOf(text: string): Generator<Cell> {
  for (const { segment, index } of graphemesOf(text)) {
    yield { text: segment, index, width: widthOfGrapheme(segment) };
  }
}

/** Columns that a text of one line takes on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const cell of cellsOf(text)) width += cell.width;
  return width;
}

/** At most `width` columns of a text; what is cut leaves an ellipsis. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return `${start(text, width - 1)}…`;
}

/** At most `width` columns of a text, shortened in its middle: both ends of a path tell the most. */
export function shortenMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const head = Math.floor((width - 1) / 3);
  return `${start(text, head)}…${end(text, width - 1 - head)}`;
}

/** Fills a text up to `width` columns. */
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
  const point = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}
