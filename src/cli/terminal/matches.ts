import { parseQuery } from '../../search/index.js';
import { splitByScript } from '../../store/index.js';

/** Where a text holds what was asked for, UTF-16; `term` counts the question's words and phrases. */
export interface Match {
  start: number;
  end: number;
  term: number;
}

/** Finds a question's words and phrases in a text, from left to right and never overlapping. */
export type Matcher = (text: string) => Match[];

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Endings that a word may have or lack and still be the same word; English, as the index's stemmer is. */
const ENDINGS = new Set(
  ['', 's', 'es', 'ed', 'd', 'e', 'ing', 'er', 'ers', 'or', 'ors', 'ly', 'y', 'ies', 'ied', 'i'].concat([
    'ion',
    'ions',
    'ment',
    'ments',
    'ness',
    'able',
    'al',
    'ally',
    'ity',
    'ive',
    'ation',
    'ations',
  ]),
);
const SHORT_ENDINGS = new Set(['', 's', 'es', 'ed', 'd', 'e', 'ing', 'y', 'ies', 'ied']);
/** A common beginning shorter than this makes no two words the same. */
const ROOT = 3;

/**
 * What to highlight for a question: quoted phrases as a whole, other words with the endings they may have
 * (near enough to the index's stems to show why a passage was found; it does not decide what is found).
 */
export function matcherOf(question: string): Matcher {
  const { phrases, meaning } = parseQuery(question);
  const outside = phrases.reduce((text, phrase) => text.replace(phrase.replace(/\s+/gu, ' '), ' '), meaning);
  const { words, beginnings } = parseQuery(outside.replace(/["“”„]/gu, ' '));
  const patterns = phrases.map(phrasePattern);
  const unspaced = [...words, ...beginnings].filter((word) => splitByScript(word)[0]?.unspaced === true);
  const spaced = words.filter((word) => !unspaced.includes(word)).map(folded);
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
        const word = folded(match[0]);
        const term = spaced.findIndex((wanted) => isSameWord(wanted, word));
        if (term !== -1)
          found.push(matchAt(match.index, match[0].length, patterns.length + unspaced.length + term));
      }
    }
    return merged(found);
  };
}

/** Whether two words, folded, differ in their endings at most: `migration` and `migrating`, `run` and `running`. */
export function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < shorter && a[shared] === b[shared]) shared += 1;
  for (let root = shared; root >= Math.max(ROOT, shared - 3); root -= 1) {
    const endings = root > ROOT + 1 ? ENDINGS : SHORT_ENDINGS;
    if (isEnding(a, root, endings) && isEnding(b, root, endings)) return true;
  }
  return false;
}

function isEnding(word: string, root: number, endings: ReadonlySet<string>): boolean {
  const rest = word.slice(root);
  return endings.has(rest) || (rest.length > 1 && rest[0] === word[root - 1] && endings.has(rest.slice(1)));
}

/** Lower case without accents; the index does not tell them apart either. */
function folded(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function phrasePattern(phrase: string): RegExp {
  const parts = phrase.trim().split(/\s+/u);
  return new RegExp(parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'giu');
}

function matchAt(start: number, length: number, term: number): Match {
  return { start, end: start + length, term };
}

/** Overlapping matches become one, named after the first. */
function merged(matches: Match[]): Match[] {
  const result: Match[] = [];
  for (const match of matches.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last !== undefined && match.start < last.end) last.end = Math.max(last.end, match.end);
    else result.push(match);
  }
  return result;
}
