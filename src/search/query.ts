import { bigramTerms, splitByScript } from '../store/index.js';

/** Words that say nothing of what is looked for; left out while other words remain. */
const STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does ' +
    'doing for from had has have having he her here him his how i if in into is it its just me more my no not ' +
    'of on or our out over she should so some such than that the their them then there these they this those ' +
    'to too under up us was we were what when where which while who whom why will with would you your'
  ).split(' '),
);

/** A longer question is cut here: a text pasted whole asks nothing that its beginning does not. */
const QUESTION_CHARS = 2_000;
/** Every further word costs time and adds noise. */
const WORDS_AT_MOST = 64;

/** A question taken apart. */
export interface Query {
  /** What is embedded: the question without what it excludes and without quotation marks. */
  meaning: string;
  /** Single words to look up, once each; parts of two characters for scripts without spaces. */
  words: string[];
  /** Single characters of such scripts, to be looked up as beginnings. */
  beginnings: string[];
  /** Quoted texts that a hit must hold exactly, letter case and white space aside. */
  phrases: string[];
  /** Words and quoted texts that a hit must not hold. */
  excluded: string[];
}

/** Takes a question apart: `"…"` is exact, `-word` and `-"…"` exclude, all else is harmless text. */
export function parseQuery(question: string): Query {
  const phrases: string[] = [];
  const excluded: string[] = [];
  const meaning = question
    .slice(0, QUESTION_CHARS)
    .replaceAll('\0', ' ')
    .replace(/(?<=^|\s)(-?)["“„]([^"“”„]*)["”“]/gu, (_, minus: string, phrase: string) => {
      if (phrase.trim() === '') return ' ';
      (minus === '-' ? excluded : phrases).push(phrase.trim());
      return minus === '-' ? ' ' : ` ${phrase} `;
    })
    .replace(/(?<=^|\s)-(?=[\p{L}\p{N}])(\S+)/gu, (_, word: string) => {
      excluded.push(word.replace(/[.,;:!?]+$/u, ''));
      return ' ';
    })
    .replace(/\s+/gu, ' ')
    .trim();
  return { meaning, ...wordsOf(meaning), phrases, excluded };
}

function wordsOf(text: string): { words: string[]; beginnings: string[] } {
  const words = new Set<string>();
  const beginnings = new Set<string>();
  for (const [word] of text
    .normalize('NFC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const part of splitByScript(word)) {
      const terms = part.unspaced ? bigramTerms(part.text) : [part.text];
      const alone = part.unspaced && [...part.text].length === 1;
      for (const term of terms) (alone ? beginnings : words).add(term);
    }
  }
  const telling = [...words].filter((word) => !STOP_WORDS.has(word));
  const kept = telling.length > 0 || beginnings.size > 0 ? telling : [...words];
  return { words: kept.slice(0, WORDS_AT_MOST), beginnings: [...beginnings].slice(0, WORDS_AT_MOST) };
}
