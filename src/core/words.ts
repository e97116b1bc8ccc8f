/** The words that a text is found by besides those that a tokenizer sees: parts of names, versions, folded letters. */
import { fold, INVISIBLE, WORD } from './fold.js';

/** A word of a text, folded, with its place. */
export interface Word {
  text: string;
  start: number;
  end: number;
  /**
   * `name`: a name in camelCase, whose parts are words too; `part`: of such a name; `version`: a dotted version, whose
   * numbers are `number`s.
   */
  kind?: 'name' | 'part' | 'version' | 'number';
}

/** Stands for the dot in the word of a version: a tokenizer takes it for a letter, and nobody types it. */
const DOT = '\ue001';
/** A dotted version, without its `v` or the name before it: `3.11.2` of `v3.11.2` and of `python3.11.2`. */
const VERSION = /(?<!\d\.?)\d{1,6}(?:\.\d{1,6}){1,4}(?!\.?\d)/g;
/** A version of one number: `v20` is a 20, too. */
const MAJOR = /^[vV](\d{1,4})$/;
/** What is between zero-width spaces and non-joiners, where others write a space: Persian, Khmer, Thai. */
const PIECE = /[^\u200b\u200c]+/g;
/** A name with parts: a capital letter after a small one or a digit, or the last one of several. */
const CAMEL = /\p{Ll}\p{Lu}|\d\p{Lu}\p{Ll}|\p{Lu}{2}\p{Ll}/u;
const PART =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?\p{Ll}[\p{Ll}\p{M}]*\d*|\p{Lu}\d*|\d+|[\p{L}\p{M}]/gu;
/** `URLs`, `APIs`. */
const PLURAL = /^\p{Lu}+s$/u;
/** Longer names, and those with shorter parts on average, are encoded data; in a long name, the average is surer. */
const LONGEST_NAME = 250;
const LONG_NAME = 60;
const SHORTEST_PARTS = 2.5;
const SHORTEST_PARTS_OF_LONG = 3.5;

/** The words of a text from left to right; what is in a name or a version follows it. */
export function wordsIn(text: string): Word[] {
  const versions = versionsIn(text);
  const words: Word[] = [];
  let at = 0;
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const end = start + word.length;
    for (let next = versions[at]; next !== undefined && next.start < end; next = versions[at]) {
      words.push(next);
      at += 1;
    }
    const before = versions[at - 1];
    const isNumber = before !== undefined && start < before.end;
    const parts = isNumber ? [] : partsOf(word, start);
    const kind = isNumber ? 'number' : parts.length > 0 ? 'name' : undefined;
    words.push({ text: fold(word), start, end, ...(kind === undefined ? {} : { kind }) }, ...parts);
  }
  return words;
}

function versionsIn(text: string): Word[] {
  if (!/\d\.\d/.test(text)) return [];
  return [...text.matchAll(VERSION)].map(({ 0: version, index }) => {
    const before = text[index - 1];
    const start = before === 'v' || before === 'V' ? index - 1 : index;
    return { text: version.replaceAll('.', DOT), start, end: index + version.length, kind: 'version' };
  });
}

/** A text that is nothing but a version, as the word that it is found by. */
export function asVersion(text: string): string | undefined {
  const [version] = versionsIn(text);
  return version?.start === 0 && version.end === text.length ? version.text : undefined;
}

/** The words that a version is found by: 3.11.2 → 3.11, 3.11.2. */
export function versionsOf(version: string): string[] {
  const numbers = version.split(DOT);
  return numbers.slice(1).map((_, index) => numbers.slice(0, index + 2).join(DOT));
}

/**
 * `HttpRetryPolicy` → http, retry, policy; `OAuth2Token` → oauth2, oauth, auth2, auth, token; `v20` → 20. Empty for other
 * words.
 */
function partsOf(word: string, start: number): Word[] {
  const whole = fold(word);
  const parts = new Map<string, Word>();
  const add = (text: string, at: number): void => {
    const folded = fold(text);
    if (folded.length > 1 && folded !== whole && !parts.has(folded))
      parts.set(folded, { text: folded, start: at, end: at + text.length, kind: 'part' });
  };
  for (const { 0: piece, index } of word.matchAll(PIECE)) {
    add(piece, start + index);
    for (const { text, at } of namePartsOf(piece)) add(text, start + index + at);
  }
  const major = MAJOR.exec(word)?.[1];
  if (major !== undefined) add(major, start + 1);
  return [...parts.values()];
}

/** The parts of a name in camelCase, also with the letter before them and without the number at their end. */
function namePartsOf(name: string): { text: string; at: number }[] {
  if (name.length > LONGEST_NAME || !CAMEL.test(name) || PLURAL.test(name)) return [];
  const found = [...name.matchAll(PART)].map(({ 0: text, index }) => ({ text, at: index }));
  const shortest = name.length > LONG_NAME ? SHORTEST_PARTS_OF_LONG : SHORTEST_PARTS;
  if (found.length < 2 || (found.length > 3 && name.length < found.length * shortest)) return [];
  return found.flatMap(({ text, at }, index) => {
    const before = found[index - 1];
    // The O of OAuth, the I of IPv4.
    const joined = before?.text.length === 1 ? [{ text: before.text + text, at: before.at }] : [];
    return [...joined, { text, at }].flatMap((part) => [
      part,
      { text: part.text.replace(/\d+$/, ''), at: part.at },
    ]);
  });
}

/** Whether FTS5's tokenizer sees this word as `fold` does. */
function isPlain(word: string, folded: string): boolean {
  if (folded === word || (folded === word.toLowerCase() && !LATER_CASE.test(word))) return true;
  return (
    ACCENTED.test(word) &&
    folded ===
      word
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase()
  );
}
/** It does not know the small forms of these, which later versions of Unicode have. */
const LATER_CASE =
  /[\u037f\u0528-\u052f\u10a0-\u10ff\u13a0-\u13ff\u1c80-\u1cbf\u2c00-\u2dff\ua640-\uabff\u{10400}-\u{1e943}]/u;
/** It drops the accents of these. */
const ACCENTED = /^[\0-\x7f\u00c0-\u01dc\u1e00-\u1eff]*$/;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** In a list of further words: some word of the text is there in another form. Nobody types it. */
export const FOLDED = '\ue000';

/**
 * Words that the text contains in another form: parts of names, versions and what they begin with, and words with other
 * letters; each once. `FOLDED` is one of them if a word has other letters.
 */
export function furtherWords(...texts: readonly string[]): string[] {
  const further = new Set<string>();
  for (const text of texts) {
    for (const version of versionsIn(text)) for (const each of versionsOf(version.text)) further.add(each);
    for (const word of unusualWords(text)) {
      for (const part of partsOf(word, 0)) further.add(part.text);
      if (!BEYOND_ASCII.test(word)) continue;
      const folded = fold(word);
      if (!isPlain(word, folded)) further.add(FOLDED).add(folded);
    }
  }
  return [...further];
}

/** Where a name may have parts, a version of one number, and where a character is not ASCII. */
const SPOT = /[a-z\d][A-Z]|[A-Z]{2}[a-z]|\b[vV]\d{1,4}\b(?!\.\d)|[^\0-\x7f]/g;
/** Whether a UTF-16 unit is of a word, as `WORD` finds it; found out once. 0: not known yet. */
const [IN_WORD, OUTSIDE] = [1, 2];
const kinds = new Uint8Array(0x10000);

/** The words that may have further words. Most words are skipped: splitting all of them would take a third of filing. */
function* unusualWords(text: string): Generator<string> {
  const words = new RegExp(WORD);
  let end = 0;
  for (const { index } of text.matchAll(SPOT)) {
    if (index < end || !isInWord(text, index)) continue;
    let start = index;
    while (start > end && isInWord(text, start - 1)) start -= 1;
    words.lastIndex = start;
    const found = words.exec(text);
    if (found === null) return;
    end = found.index + found[0].length;
    yield found[0];
  }
}

function isInWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const known = kinds[unit];
  if (known) return known === IN_WORD;
  // Half of a character: letters of historic scripts, and pictures, which `WORD` skips.
  const is = /[\p{L}\p{N}\p{M}\p{Surrogate}]/u.test(text.charAt(at)) || INVISIBLE.test(text.charAt(at));
  kinds[unit] = is ? IN_WORD : OUTSIDE;
  return is;
}
