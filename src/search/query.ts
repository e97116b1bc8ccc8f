import { wordsIn } from '../core/words.js';
import { bigramTerms, splitByScript } from '../store/index/bigrams.js';

/** Words without content for a search; ignored unless the question has no others. */
const STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does ' +
    'doing for from had has have having he her here him his how i if in into is it its just me more my no not ' +
    'of on or our out over she should so some such than that the their them then there these they this those ' +
    'to too under up us was we were what when where which while who whom why will with would you your'
  ).split(' '),
);

/** A text in quotation marks of any style, at the beginning of a word. An apostrophe is not a quotation mark. */
const QUOTED = /(?<=^|[\s([{])(-?)["“”„«»]([^"“”„«»]*)["“”„«»]/gu;
/** A longer question is cut here: a pasted text adds little to its beginning. */
const QUESTION_CHARS = 2_000;
/** More words cost time and add noise. */
const WORDS_AT_MOST = 64;

/** A word, and the words in it that the question does not contain elsewhere. */
interface Name {
  kind: 'name' | 'version';
  whole: string;
  parts: string[];
}

/** A parsed question. */
export interface Query {
  /** The text to embed: the question without exclusions and quotation marks. */
  meaning: string;
  /** Distinct words to look up; bigrams for scripts without spaces. */
  words: string[];
  /** Words of which one stands for others: names in camelCase for their parts, versions for their numbers. */
  names: Name[];
  /** Single characters of such scripts, looked up as prefixes. */
  beginnings: string[];
  /** Quoted texts that a hit must contain, ignoring case and white space. */
  phrases: string[];
  /** Words and quoted texts that a hit must not contain. */
  excluded: string[];
}

/**
 * Parses a question: `"…"` is exact, `-"…"` excludes, everything else is plain text: `-it` is a word of `docker run -it`.
 *
 * @param unwanted words and texts to exclude besides
 */
export function parseQuery(question: string, unwanted: readonly string[] = []): Query {
  const phrases: string[] = [];
  const excluded = unwanted.map(unquoted).filter((text) => text !== '');
  const meaning = question
    .slice(0, QUESTION_CHARS)
    .replaceAll('\0', ' ')
    .replace(QUOTED, (_, minus: string, phrase: string) => {
      if (phrase.trim() === '') return ' ';
      (minus === '' ? phrases : excluded).push(phrase.trim());
      return minus === '' ? ` ${phrase} ` : ' ';
    })
    .replace(/\s+/gu, ' ')
    .trim();
  return { meaning, ...wordsOf(meaning), phrases, excluded: [...new Set(excluded)] };
}

/** The words of `--not '"two words"'`. */
function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["“”„«»](.*)["“”„«»]$/su, '$1')
    .trim();
}

/** The first word of a question that search engines would exclude, without its dash: `login` of `cookie -login`. */
export function dashedWord(question: string): string | undefined {
  return /(?<=^|\s)-(\p{L}[\p{L}\p{N}\p{M}_]*)(?=[\s.,;:!?]|$)/u.exec(question)?.[1];
}

function wordsOf(text: string): Pick<Query, 'words' | 'beginnings' | 'names'> {
  const words = new Set<string>();
  const beginnings = new Set<string>();
  const plain = new Set<string>();
  const names: Name[] = [];
  for (const { text: word, kind } of wordsIn(text)) {
    if (kind === 'version' || kind === 'name') names.push({ kind, whole: word, parts: [] });
    else if (kind !== undefined) names.at(-1)?.parts.push(word);
    if (kind === 'version') words.add(word);
    else {
      for (const part of splitByScript(word)) {
        const terms = part.unspaced ? bigramTerms(part.text) : [part.text];
        const alone = part.unspaced && [...part.text].length === 1;
        for (const term of terms) (alone ? beginnings : words).add(term);
        if (kind === undefined) for (const term of terms) plain.add(term);
      }
    }
  }
  const content = [...words].filter((word) => !STOP_WORDS.has(word));
  const kept = content.length > 0 || beginnings.size > 0 ? content : [...words];
  for (const name of names) name.parts = name.parts.filter((part) => !plain.has(part));
  return {
    words: kept.slice(0, WORDS_AT_MOST),
    names: names.filter(({ whole }) => !plain.has(whole)),
    beginnings: [...beginnings].slice(0, WORDS_AT_MOST),
  };
}

/**
 * The question's words without those that say the same twice. A version that the palace contains is not looked up by its
 * numbers, which are everywhere. A name that it does not contain is looked up by its parts alone.
 */
export function knownWords(
  { words, names }: Pick<Query, 'words' | 'names'>,
  isKnown: (word: string) => boolean,
): string[] {
  const dropped = new Set<string>();
  for (const { kind, whole, parts } of names) {
    if (kind === 'version') {
      if (isKnown(whole)) for (const part of parts) dropped.add(part);
    } else if (!isKnown(whole) && parts.some(isKnown)) dropped.add(whole);
  }
  return words.filter((word) => !dropped.has(word));
}
