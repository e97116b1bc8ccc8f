import { stemmer } from 'stemmer';
import { fold, foldWithPlaces } from '../core/fold.js';
import { versionsOf, wordsIn } from '../core/words.js';
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

/**
 * Builds the matcher for a question: whole quoted phrases, and words as the index finds them: by their stems, without marks,
 * and as parts of names.
 *
 * @param absent quoted phrases that were searched by their words
 */
export function matcherOf(question: string, absent: readonly string[] = []): Matcher {
  const { phrases: quoted, meaning } = parseQuery(question);
  const phrases = quoted.filter((phrase) => !absent.includes(phrase));
  const outside = phrases.reduce((text, phrase) => text.replace(phrase.replace(/\s+/gu, ' '), ' '), meaning);
  const { words, names, beginnings } = parseQuery(outside.replace(/["“”„«»]/gu, ' '));
  // The numbers of a version are everywhere.
  const numbers = new Set(names.flatMap(({ kind, parts }) => (kind === 'version' ? parts : [])));
  const finders = phrases.map(phraseFinder);
  const unspaced = [...words, ...beginnings].filter((word) => splitByScript(word)[0]?.unspaced === true);
  const spaced = words.filter((word) => !unspaced.includes(word) && !numbers.has(word)).map(stemOf);
  return (text) => {
    const found: Match[] = [];
    finders.forEach((find, term) => {
      for (const place of find(text)) found.push({ ...place, term });
    });
    unspaced.forEach((word, index) => {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
        found.push({ start: at, end: at + word.length, term: finders.length + index });
    });
    if (spaced.length > 0) {
      for (const { text: word, start, end, kind } of wordsIn(text)) {
        const stems = kind === 'version' ? versionsOf(word) : [stemOf(word)];
        const term = spaced.findIndex((stem) => stems.includes(stem));
        if (term !== -1) found.push({ start, end, term: finders.length + unspaced.length + term });
      }
    }
    return merged(found);
  };
}

/**
 * The stem of a folded word as in the index, by Porter's algorithm. It is applied twice, since the stem of `embedding` is
 * `embed`, and that of `embed` is `emb`.
 */
function stemOf(word: string): string {
  return stemmer(stemmer(word.normalize('NFD').replace(/\p{M}/gu, '')));
}

/** Finds a phrase in any case, with any white space between its words, whatever the marks of its letters. */
export function phraseFinder(phrase: string): (text: string) => Omit<Match, 'term'>[] {
  const parts = fold(phrase).trim().split(/\s+/u);
  const escaped = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const pattern = new RegExp(escaped.join('\\s+'), 'gu');
  return (text) => {
    if (parts[0] === '') return [];
    const { folded, places } = foldWithPlaces(text);
    return [...folded.matchAll(pattern)].flatMap(({ 0: found, index }) => {
      const [start = 0, last = 0] = [places[index], places[index + found.length - 1]];
      // The end of the last letter, with its marks: where the next one begins.
      let after = index + found.length;
      while (places[after] === last) after += 1;
      return [{ start, end: places[after] ?? text.length }];
    });
  };
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
