/**
 * Letters that are typed without their marks, or in another form of the same letter: one spelling for the words of texts
 * and of questions. Scripts whose marks are vowels (Devanagari, Thai, …) keep them.
 */

/** Invisible within words: soft hyphen, zero-width space, joiners, marks of direction, word joiner, BOM; and tatweel. */
const INVISIBLES = '\\u00ad\\u200b-\\u200f\\u2060\\ufeff\\u0640';
export const INVISIBLE = new RegExp(`[${INVISIBLES}]`);
/** Accents of Latin, Greek and Cyrillic letters, niqqud, and harakat with the marks of the Quran. */
const MARKS =
  '\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed\\u08d3-\\u08ff\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\ufe20-\\ufe2f';
const DROPPED = new RegExp(`[${INVISIBLES}${MARKS}]+`, 'g');

/** Letters without a decomposition in Unicode; the Arabic ones as in Lucene's normalizers of Arabic and Persian. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h', ŧ: 't', ŋ: 'n' },
  ...{ ς: 'σ' },
  ...{ ٱ: 'ا', ى: 'ي', ة: 'ه', ی: 'ي', ے: 'ي', ک: 'ك', ہ: 'ه', ە: 'ه', ھ: 'ه' },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** Latin, Greek, Cyrillic, Hebrew and Arabic letters and their forms: in others, a decomposition is another spelling. */
const DECOMPOSED =
  /[\u00a0-\u077f\u08a0-\u08ff\u1c80-\u1c8f\u1d00-\u1fff\u2070-\u218f\u2460-\u24ff\u2c60-\u2c7f\ua640-\ua69f\ua720-\ua7ff\ufb00-\ufdff\ufe70-\ufefc\uff00-\uffef\u{1d400}-\u{1d7ff}]+/gu;
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * A text in lower case with its letters in one form: `Übergröße` → `ubergrosse`, `ﬁnal` → `final`, `Ещё` → `еще`,
 * `Αρχείο` → `αρχειο`, `قَاعِدَةُ` → `قاعده`. `й` is folded as `ё` is, since a text in decomposed form is indexed so.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!BEYOND_ASCII.test(lower)) return lower;
  return lower
    .replace(DECOMPOSED, (run) => run.normalize('NFKD').toLowerCase())
    .replace(DROPPED, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

/** Characters that are folded together: ASCII, a letter with its marks, or a decomposed syllable of Hangul. */
const CLUSTER = new RegExp(
  `[\\0-\\x7f]+(?![\\p{M}${INVISIBLES}])|[\\u1100-\\u11ff]+|[^][\\p{M}${INVISIBLES}]*`,
  'gu',
);

/** A folded text, and for each of its UTF-16 units, and its end, the position in the text that it came from. */
export function foldWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = '';
  const places: number[] = [];
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const part = fold(cluster);
    folded += part;
    const isAscii = part.length === cluster.length;
    for (let i = 0; i < part.length; i += 1) places.push(isAscii ? index + i : index);
  }
  places.push(text.length);
  return { folded, places };
}

/** A run of letters and digits, with what is invisible in it. */
export const WORD = new RegExp(
  `[\\p{L}\\p{N}\\p{M}](?:[\\p{L}\\p{N}\\p{M}${INVISIBLES}]*[\\p{L}\\p{N}\\p{M}])?`,
  'gu',
);
