/** Finding words in a long text whose greater part is not in the document: the browser's own search does not see it. */
import type { Matcher } from '../src/search/matches.js';

/** Places, letter by letter, whatever the case. */
export function finderOf(words: string): Matcher | undefined {
  if (words === '') return undefined;
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  return (text) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
      term: 0,
    }));
}

/** The numbers of the lines that contain the words, ascending. */
export function linesWith(finder: Matcher, text: string): number[] {
  const lines: number[] = [];
  let [line, feed] = [1, text.indexOf('\n')];
  for (const { start } of finder(text)) {
    for (; feed !== -1 && feed < start; feed = text.indexOf('\n', feed + 1)) line += 1;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return lines;
}
