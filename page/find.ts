/** Finding words in a long text whose greater part is not in the document: the browser's own search does not see it. */
import { type Matcher, phraseFinder } from '../src/search/matches.js';

/** Finds the words as they are written, in any case and without their marks. Undefined without words. */
export function finderOf(words: string): Matcher | undefined {
  if (words.trim() === '') return undefined;
  const find = phraseFinder(words);
  return (text) => find(text).map((place) => ({ ...place, term: 0 }));
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
