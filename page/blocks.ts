/** A text in blocks that are small enough to be shown each by itself. */
import type { Rendered } from './markdown.js';

/** Lines of a block, at most. */
const LINES = 50;
/** UTF-16 units of a block, about: a longer line goes on in the next block. */
const CHARS = 8_000;
/** Units of a row of text, about, for the height of what is not shown yet. */
const ROW = 90;

export interface Block {
  /** Who speaks; undefined in a document. */
  role: string | undefined;
  /** Number of the first line of its turn, and of the last one. */
  turn: readonly [first: number, last: number];
  /** It begins its turn. */
  isHead: boolean;
  /** Only its head is shown. */
  isFolded: boolean;
  /** Its first line goes on from the block before. */
  goesOn: boolean;
  /** Number of its first line. */
  first: number;
  last: number;
  /** Place in the whole text, UTF-16 units. */
  start: number;
  end: number;
  /** Rows on the screen, about. */
  rows: number;
  /** As Markdown; absent: as it is written. */
  rendered?: Rendered;
}

/** Roles with the offsets at which they begin to speak. */
export type Turns = readonly (readonly [role: string, start: number])[];

/** Cuts a part of a text into blocks. */
export type Cut = (text: string, start: number, end: number, first: number) => Block[];

/**
 * @param isFolded whether only the head of a turn is wanted. Turns without words are left out
 * @param cutOf how the words of somebody are cut
 */
export function blocksOf(
  text: string,
  turns: Turns | null,
  isFolded: (role: string, first: number, last: number) => boolean,
  cutOf: (role: string) => Cut = () => cut,
): Block[] {
  if (turns === null) return cut(text, 0, text.length, 1);
  const starts = turns[0]?.[1] === 0 ? turns : ([['note', 0], ...turns] as const);
  const blocks: Block[] = [];
  let first = 1;
  for (const [index, [role, start]] of starts.entries()) {
    const end = starts[index + 1]?.[1] ?? text.length;
    const parts = cutOf(role)(text, start, end, first);
    const last = parts.at(-1)?.last ?? first;
    if (text.slice(start, end).trim() !== '') {
      const folded = isFolded(role, first, last);
      for (const part of folded ? parts.slice(0, 1) : parts)
        blocks.push({ ...part, role, turn: [first, last], isHead: part === parts[0], isFolded: folded });
    }
    first = last + (end > start && text[end - 1] === '\n' ? 1 : 0);
  }
  return blocks;
}

/** The block that shows a line. */
export function blockAt(blocks: readonly Block[], line: number): number {
  return blocks.findIndex(
    ({ first, last, goesOn, turn, isFolded }) =>
      line >= (goesOn ? first + 1 : first) && line <= (isFolded ? turn[1] : last),
  );
}

/** The number of the last line that is not blank, from 1. */
export function lastLineOf(text: string): number {
  const { length } = text.trimEnd();
  let line = 1;
  for (let feed = text.indexOf('\n'); feed !== -1 && feed < length; feed = text.indexOf('\n', feed + 1))
    line += 1;
  return line;
}

/** The first block from this line on that begins a turn; the number of blocks if none follows. */
export function headFrom(blocks: readonly Block[], line: number): number {
  const index = blocks.findIndex(({ isHead, first }) => isHead && first >= line);
  return index === -1 ? blocks.length : index;
}

/** By lines. */
export function cut(text: string, start: number, end: number, first: number): Block[] {
  const blocks: Block[] = [];
  let [at, line, goesOn] = [start, first, false];
  while (at < end) {
    const block = { start: at, first: line, goesOn, rows: 0 };
    let lines = 0;
    goesOn = false;
    while (at < end && lines < LINES && at - block.start < CHARS) {
      const feed = text.indexOf('\n', at);
      const stop = feed === -1 || feed >= end ? end : feed + 1;
      const most = block.start + 2 * CHARS;
      goesOn = stop > most;
      const until = goesOn ? beforePair(text, most) : stop;
      block.rows += Math.max(1, Math.ceil((until - at) / ROW));
      at = until;
      lines += 1;
    }
    line += lines - 1;
    blocks.push({
      ...block,
      end: at,
      last: line,
      role: undefined,
      turn: [first, line],
      isHead: false,
      isFolded: false,
    });
    if (!goesOn) line += 1;
  }
  return blocks;
}

/** Two units that are one character stay together. */
export const beforePair = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at;
