import { matchAt } from './finder.js';

const BARE = /[^\s"'`<>\\]{1,512}/y;
const BARE_END = /[;,&](?=$|[\w.-]{1,64}[=:])|[|)\]}]/;
const MAX_QUOTED = 4096;

/** A value: `[start, end)` without its quotes, in UTF-16 code units. */
export interface Read {
  start: number;
  end: number;
  quoted: boolean;
}

/** A value in quotes, also escaped ones, to its closing quote on the same line, else up to the next space or delimiter. */
export function readValue(text: string, from: number): Read | null {
  const value = readQuoted(text, from);
  if (value !== null) return value;
  let start = afterBackslashes(text, from);
  if (isQuote(text.charAt(start))) start++;
  const run = matchAt(BARE, text, start)?.[0];
  if (run === undefined) return null;
  const cut = run.search(BARE_END);
  const end = start + (cut < 0 ? run : run.slice(0, cut)).replace(/[,;.:]$/, '').length;
  return end > start ? { start, end, quoted: false } : null;
}

/** A value between quotes on one line. */
export function readQuoted(text: string, from: number): Read | null {
  const start = afterBackslashes(text, from);
  const quote = text.charAt(start);
  if (!isQuote(quote)) return null;
  const escaped = start > from;
  const end = closingQuote(text, start + 1, quote, escaped);
  if (end === null) return null;
  return { start: start + 1, end: escaped ? beforeBackslashes(text, end) : end, quoted: true };
}

const isQuote = (character: string): boolean => character === '"' || character === "'" || character === '`';

function closingQuote(text: string, from: number, quote: string, escaped: boolean): number | null {
  const limit = Math.min(text.length, from + MAX_QUOTED);
  for (let index = from; index < limit; index++) {
    const character = text.charAt(index);
    if (character === '\n' || character === '\r') return null;
    if (character === quote) return index;
    if (character === '\\') {
      if (escaped && text.charAt(index + 1) === quote) return index;
      index++;
    }
  }
  return null;
}

function afterBackslashes(text: string, from: number): number {
  let index = from;
  while (index < from + 7 && text.charAt(index) === '\\') index++;
  return index;
}

function beforeBackslashes(text: string, end: number): number {
  let index = end;
  while (text.charAt(index - 1) === '\\') index--;
  return index;
}
