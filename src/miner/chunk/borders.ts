import { TARGET } from './limits.js';

/** Where a text that is too long may be cut, from the best border to the worst. */
export type Level = 'blank' | 'entry' | 'line' | 'sentence' | 'word' | 'punctuation' | 'hard';

/** Borders for running text: hard-wrapped lines are worth less than the end of a sentence. */
export const PROSE: readonly Level[] = ['blank', 'sentence', 'line', 'word', 'punctuation', 'hard'];
/** Borders for code, data and logs: a line is the unit of meaning. */
export const LINES: readonly Level[] = ['blank', 'entry', 'line', 'word', 'punctuation', 'hard'];

// Each pattern matches a separator; the cut is behind it, so that separators end the part before them.
const SEPARATOR: Record<Exclude<Level, 'hard'>, RegExp> = {
  blank: /(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))+/g,
  entry: /(?:\r\n|\n|\r)(?=["'\p{L}\p{N}_$.[-])/gu,
  line: /\r\n|\n|\r/g,
  sentence: /[.!?…]["'”’)\]*_`]*\s+(?=[^\s\p{Ll}])|[。！？｡]["'”’」』）]*\s*/gu,
  word: /\s+/g,
  punctuation: /[,;:}\])>|&]+/g,
};

/** Cut positions inside `text` at one level, ascending, without 0 and the length. */
export function cutsAt(text: string, level: Level): number[] {
  return level === 'hard' ? hardCuts(text) : separatorCuts(text, SEPARATOR[level]);
}

function separatorCuts(text: string, pattern: RegExp): number[] {
  const cuts: number[] = [];
  for (const match of text.matchAll(pattern)) {
    const cut = match.index + match[0].length;
    if (cut < text.length) cuts.push(cut);
  }
  return cuts;
}

function hardCuts(text: string): number[] {
  const cuts: number[] = [];
  for (let last = 0; text.length - last > TARGET; ) {
    last = safeCut(text, last + TARGET, last + 1);
    cuts.push(last);
  }
  return cuts;
}

const JOINS_BACKWARD = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d|[\u{e0020}-\u{e007f}])/u;
const ZERO_WIDTH_JOINER = 0x200d;
const LONGEST_CLUSTER = 64;

/**
 * The nearest position at or before `position` that parts neither a surrogate pair nor CR from LF nor, if
 * one is found within 64 units, a character from what combines with it. Never below `least`, except that a
 * pair is not parted there either: then it is one above.
 */
export function safeCut(text: string, position: number, least = 0): number {
  const floor = Math.max(least, position - LONGEST_CLUSTER);
  for (let cut = position; cut >= floor; cut--) {
    if (!partsPair(text, cut) && !partsCluster(text, cut)) return cut;
  }
  if (!partsPair(text, position)) return position;
  return position > least ? position - 1 : position + 1;
}

function partsPair(text: string, cut: number): boolean {
  const before = text.charCodeAt(cut - 1);
  const after = text.charCodeAt(cut);
  const surrogates = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return surrogates || (before === 13 && after === 10);
}

function partsCluster(text: string, cut: number): boolean {
  if (text.charCodeAt(cut) < 0x300) return false;
  return text.charCodeAt(cut - 1) === ZERO_WIDTH_JOINER || JOINS_BACKWARD.test(text.slice(cut, cut + 2));
}

/** White space by UTF-16 unit, as `\s` has it. */
export function isSpace(unit: number): boolean {
  if (unit <= 32) return unit === 32 || (unit >= 9 && unit <= 13);
  if (unit < 0xa0) return false;
  return (
    unit === 0xa0 ||
    unit === 0x3000 ||
    unit === 0xfeff ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f
  );
}
