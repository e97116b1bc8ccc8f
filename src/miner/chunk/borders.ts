import { TARGET } from './limits.js';

/** Where a too long text may be cut, from the best border to the worst. */
export type Level = 'blank' | 'entry' | 'line' | 'sentence' | 'word' | 'punctuation' | 'hard';

/** For prose: hard-wrapped lines are worse borders than ends of sentences. */
export const PROSE: readonly Level[] = ['blank', 'sentence', 'line', 'word', 'punctuation', 'hard'];
/** For code, data and logs: a line is the unit of meaning. */
export const LINES: readonly Level[] = ['blank', 'entry', 'line', 'word', 'punctuation', 'hard'];

// The cut is after the separator.
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
  const cuts: number[] = [];
  if (level === 'hard') {
    for (let last = 0; text.length - last > TARGET; cuts.push(last))
      last = safeCut(text, last + TARGET, last + 1);
    return cuts;
  }
  for (const match of text.matchAll(SEPARATOR[level])) {
    const cut = match.index + match[0].length;
    if (cut < text.length) cuts.push(cut);
  }
  return cuts;
}

const JOINS_BACKWARD = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d|[\u{e0020}-\u{e007f}])/u;
const ZERO_WIDTH_JOINER = 0x200d;
const LONGEST_CLUSTER = 64;

/**
 * The nearest position at or before `position` that does not split a surrogate pair or CR LF. Within 64 units it also
 * avoids splitting a character from its combining marks. Never below `least`; if a pair would be split there, one above.
 */
export function safeCut(text: string, position: number, least = 0): number {
  const floor = Math.max(least, position - LONGEST_CLUSTER);
  for (let cut = position; cut >= floor; cut--) {
    if (!splitsPair(text, cut) && !splitsCluster(text, cut)) return cut;
  }
  if (!splitsPair(text, position)) return position;
  return position > least ? position - 1 : position + 1;
}

function splitsPair(text: string, cut: number): boolean {
  const before = text.charCodeAt(cut - 1);
  const after = text.charCodeAt(cut);
  const surrogates = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return surrogates || (before === 13 && after === 10);
}

function splitsCluster(text: string, cut: number): boolean {
  if (text.charCodeAt(cut) < 0x300) return false;
  return text.charCodeAt(cut - 1) === ZERO_WIDTH_JOINER || JOINS_BACKWARD.test(text.slice(cut, cut + 2));
}
