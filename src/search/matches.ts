import { stemmer } from 'stemmer';
import { splitByScript } from '../store/index/bigrams.js';
import { parseQuery } from './query.js';

/** A match in a text, UTF-16 offsets. `term` numbers the question's phrases and words. */
export interface Match {
  start: number;
  end: number;
  term: number;
}

/** Finds a question's words and phrases in a text, from left to right, without overlaps. */
export type Matcher = (text: string) => Match[];

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/**
 * Builds the matcher for a question: whole quoted phrases, and words by the stems of the index.
 *
 * @param absent quoted phrases that were searched by their words
 */
export function matcherOf(question: string, absent: readonly string[] = []): Matcher {
  const { phrases: quoted, meaning } = parseQuery(question);
  const phrases = quoted.filter((phrase) => !absent.includes(phrase));
  const outside = phrases.reduce((text, phrase) => text.replace(phrase.replace(/\s+/gu, ' '), ' '), meaning);
  const { words, beginnings } = parseQuery(outside.replace(/["“”„«»]/gu, ' '));
  const patterns = phrases.map(phrasePattern);
  const unspaced = [...words, ...beginnings].filter((word) => splitByScript(word)[0]?.unspaced === true);
  const spaced = words.filter((word) => !unspaced.includes(word)).map(stemOf);
  return (text) => {
    const found: Match[] = [];
    patterns.forEach((pattern, term) => {
      for (const match of text.matchAll(pattern)) found.push(matchAt(match.index, match[0].length, term));
    });
    unspaced.forEach((word, index) => {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
        found.push(matchAt(at, word.length, patterns.length + index));
    });
    if (spaced.length > 0) {
      for (const match of text.matchAll(WORD)) {
        const term = spaced.indexOf(stemOf(match[0]));
        if (term !== -1)
          found.push(matchAt(match.index, match[0].length, patterns.length + unspaced.length + term));
      }
    }
    return merged(found);
  };
}

/**
 * The stem of a word as in the index: lower case, without accents, by Porter's algorithm. It is applied twice, since the
 * stem of `embedding` is `embed`, and that of `embed` is `emb`.
 */
function stemOf(word: string): string {
  return stemmer(stemmer(word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()));
}

/** A phrase as it is written, in any case, with any white space between its words. */
export function phrasePattern(phrase: string): RegExp {
  const parts = phrase.trim().split(/\s+/u);
  return new RegExp(parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'giu');
}

function matchAt(start: number, length: number, term: number): Match {
  return { start, end: start + length, term };
}

/** Merges overlapping matches into one, with the term of the first. */
function merged(matches: Match[]): Match[] {
  const result: Match[] = [];
  for (const match of matches.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last !== undefined && match.start < last.end) last.end = Math.max(last.end, match.end);
    else result.push(match);
  }
  return result;
}
