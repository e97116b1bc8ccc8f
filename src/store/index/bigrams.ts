import { furtherWords } from '../../core/words.js';
import { dateWords } from './date-words.js';

const SCRIPTS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々〆';
/** Runs of scripts without spaces between words, and of Hangul, whose words have endings. */
const UNSPACED = new RegExp(`[${SCRIPTS}]+`, 'gu');
/** Words as in the tokenizer, for which a change of script is not a word boundary. */
const WORD = new RegExp(`[\\p{L}\\p{N}\\p{M}${SCRIPTS}]+`, 'gu');
/** Any text with a character of these scripts, also one that only NFKC makes from ㈱ or ㋿, and some other texts. */
const PERHAPS_UNSPACED = /[\u1100-\u11FF\u2E80-\uFFFF]/;

/**
 * Tokens of Chinese, Japanese and Korean text for the lexical index, whose tokenizer treats a run without spaces as one
 * word. Every two adjacent characters, and the last character of a run, are a token, so that each character begins one:
 * 東京都 → `東京 京都 都`. Adjacent words of other scripts are tokens, too: 使用React → `使用 用 React`. Empty for other text.
 */
export function bigramsOf(...texts: readonly string[]): string {
  const tokens: string[] = [];
  for (const text of texts) {
    // Most texts end here: looking at every word takes a tenth of the time of filing without embedding.
    if (!PERHAPS_UNSPACED.test(text)) continue;
    for (const [word] of text.normalize('NFKC').matchAll(WORD)) {
      const parts = splitByScript(word);
      if (!parts.some((part) => part.unspaced)) continue;
      for (const part of parts) {
        if (!part.unspaced) tokens.push(part.text);
        else
          [...part.text].forEach((character, i, all) => {
            tokens.push(`${character}${all[i + 1] ?? ''}`);
          });
      }
    }
  }
  return tokens.join(' ');
}

/** What a drawer is found by. */
export interface Worded {
  text: string;
  title: string;
  context: string;
  place: string;
}

/**
 * The columns of the lexical index that no reader sees: words of the text that its tokenizer does not see, and those of its day,
 * title, context and place, which count less. To be computed again for all drawers when `WORDS_VERSION` rises.
 */
export function derivedWords({ text, title, context, place }: Worded, day: string | null) {
  const joined = (...words: string[]): string => words.filter((word) => word !== '').join(' ');
  return {
    dates: joined(dateWords(day), ...furtherWords(title, context, place)),
    bigrams: joined(bigramsOf(text, title, context, place), ...furtherWords(text)),
  };
}

/** The tokens of `bigramsOf` to search for; a single character is one token. */
export function bigramTerms(word: string): string[] {
  const characters = [...word.normalize('NFKC')];
  if (characters.length < 2) return characters;
  return characters.slice(0, -1).map((character, i) => `${character}${characters[i + 1]}`);
}

/** Splits a word between scripts with and without spaces: `vue组件` → `vue`, `组件`. */
export function splitByScript(word: string): { text: string; unspaced: boolean }[] {
  const parts: { text: string; unspaced: boolean }[] = [];
  let end = 0;
  for (const match of word.matchAll(UNSPACED)) {
    if (match.index > end) parts.push({ text: word.slice(end, match.index), unspaced: false });
    parts.push({ text: match[0], unspaced: true });
    end = match.index + match[0].length;
  }
  if (end < word.length) parts.push({ text: word.slice(end), unspaced: false });
  return parts;
}
