import { fold } from '../../core/fold.js';
import { asVersion, FOLDED } from '../../core/words.js';
import { bigramTerms, splitByScript } from './bigrams.js';

/** Texts are literal, never FTS5 syntax. */
export interface LexicalQuery {
  /** Any of them. */
  words: readonly string[];
  /** All of them, each with its words in order. */
  phrases?: readonly string[];
  /** None of them. */
  excluded?: readonly string[];
  /** Other drawers than those with any of the words, or at least `least` of several, are neither scored nor found. */
  gate?: { any: readonly string[]; several?: readonly string[]; least?: number };
}

/** The query in FTS5's syntax; undefined when it contains nothing to search for. */
export function matchOf({ words, phrases = [], excluded = [] }: LexicalQuery): string | undefined {
  const all = phrases.flatMap((phrase) => exactly(phrase, true));
  const any = [...words.filter(hasToken).map(quoted), ...all].join(' OR ');
  if (any === '') return undefined;
  const wanted = [...all, `(${any})`].join(' AND ');
  const unwanted = excluded.flatMap((text) => exactly(text)).join(' OR ');
  return unwanted === '' ? wanted : `(${wanted}) NOT (${unwanted})`;
}

export function matchOfGate({ any, several = [], least = 2 }: NonNullable<LexicalQuery['gate']>): string {
  const ways = any.map(quoted);
  if (several.length >= least) ways.push(atLeast(several, least));
  return ways.join(' OR ');
}

/** Matches at least `least` of the words: the first and `least` − 1 others, or `least` others. */
function atLeast(words: readonly string[], least: number): string {
  if (least === words.length || least === 1)
    return `(${words.map(quoted).join(least === 1 ? ' OR ' : ' AND ')})`;
  const [first = '', ...others] = words;
  return `((${quoted(first)} AND ${atLeast(others, least - 1)}) OR ${atLeast(others, least)})`;
}

/**
 * Matches a phrase exactly; Chinese, Japanese and Korean text by its bigrams. Empty for a text without a word.
 *
 * @param loosely also where its words are in any order, in a text with letters in another form: such words are indexed without
 *   their order
 */
export function exactly(text: string, loosely = false): string[] {
  const folded = fold(text);
  const parts = splitByScript(folded.normalize('NFKC'));
  if (!parts.some((part) => part.unspaced)) {
    if (!hasToken(text)) return [];
    const ways = [...new Set([text, folded])].map(quoted);
    const words = folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    const version = asVersion(folded);
    if (version !== undefined) ways.push(quoted(version));
    if (loosely && words.length > 0) ways.push(`(${[FOLDED, ...words].map(quoted).join(' AND ')})`);
    return [`(${ways.join(' OR ')})`];
  }
  const terms = parts.flatMap((part) => {
    if (!part.unspaced) return hasToken(part.text) ? [quoted(part.text)] : [];
    const pairs = bigramTerms(part.text);
    // A single character is always the beginning of a token.
    return [`bigrams : ${quoted(pairs.join(' '))}${[...part.text].length === 1 ? ' *' : ''}`];
  });
  return [`(${terms.join(' AND ')})`];
}

/** Whether a text contains a word: FTS5 finds a phrase without one in every row. */
export function hasToken(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text);
}

/** An FTS5 string literal. */
export function quoted(word: string): string {
  return `"${word.replaceAll('\0', ' ').replaceAll('"', '""')}"`;
}
