/** What a list of hits shows of a passage: the line that fits the question best, with what is beside it, as one paragraph. */
import type { Matcher } from '../src/search/matches.js';
import { beforePair } from './blocks.js';

/** UTF-16 units of an excerpt, about. */
const CHARS = 320;
/** Units of the line before the best one, and of a long line before its first match. */
const LEAD = 48;
/** Lines without words: fences, rules, the ruling of tables. */
const RULING = /^(?:[\s`~=*_|:+-]*|(?:```|~~~).*)$/;
/** Markdown at the beginning of a line, which says nothing in a paragraph. */
const MARKER = /^(?:#{1,6}\s|[-*+>|]\s)+/;
const STRONG = /(?<!\w)\*\*(.+?)\*\*(?!\w)/g;
/** These begin something: what is before them does not belong to them. */
const BEGINNING = /^(?:#{1,6}\s|[-*+>|]|\d+[.)]\s|\[tool |\[result)/;

/** @param best index of the line in the text */
export function excerptOf(text: string, best: number, matcher: Matcher): string {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  const wordsOf = (line: string): string => line.replace(MARKER, '').replace(STRONG, '$1');
  const line = lines[best] ?? '';
  if (line.length > CHARS) return around(wordsOf(line), matcher);
  let excerpt = wordsOf(line);
  const add = (index: number, joined: (more: string) => string): void => {
    const more = lines[index] ?? '';
    if (excerpt.length < CHARS && !RULING.test(more)) excerpt = joined(cut(wordsOf(more)));
  };
  for (let index = best + 1; index < lines.length; index += 1) add(index, (more) => `${excerpt} ${more}`);
  const before = lines[best - 1] ?? '';
  const isWithin = before !== '' && !BEGINNING.test(line) && !before.startsWith('#');
  if (excerpt.length < CHARS / 2)
    for (let index = best - 1; index >= 0; index -= 1) add(index, (more) => `${more} ${excerpt}`);
  else if (isWithin && before.length <= LEAD) excerpt = `${wordsOf(before)} ${excerpt}`;
  else if (isWithin) excerpt = `…${fromWord(before, before.length - LEAD)} ${excerpt}`;
  return excerpt;
}

const cut = (text: string): string => text.slice(0, beforePair(text, CHARS));

/** The part of a long line with most of the question's words. */
function around(line: string, matcher: Matcher): string {
  const matches = matcher(line);
  let best = { at: 0, terms: 0 };
  for (const [index, { start }] of matches.entries()) {
    const near = matches.slice(index).filter(({ end }) => end <= start + CHARS - LEAD);
    const terms = new Set(near.map(({ term }) => term)).size;
    if (terms > best.terms) best = { at: start, terms };
  }
  if (best.at <= LEAD) return cut(line);
  return `…${cut(fromWord(line, best.at - LEAD))}`;
}

/** The text from the first word that begins at an offset or later. */
function fromWord(text: string, from: number): string {
  const space = text.indexOf(' ', from);
  return text.slice(space === -1 || space > from + LEAD / 2 ? beforePair(text, from) : space + 1);
}
