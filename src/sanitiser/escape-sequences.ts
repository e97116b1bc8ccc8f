import type { Finding } from './findings.js';
import { windowsAround } from './windows.js';

/**
 * Escape sequences of a terminal, such as its colours, also as escapes in a string. They separate a key from its value, and
 * a secret from the word before it.
 */
const SEQUENCES = /(?:\u001b|\\{1,7}(?:u001[bB]|x1[bB]|033|e))\[[\d;:?]{0,20}[A-Za-z]/g;

/** On both sides of a sequence: more than a key and a value. */
const AROUND = { near: 256, reach: 1_024 };

/**
 * The findings near escape sequences, in the text without these sequences.
 *
 * @returns with their places in the text
 */
export async function findAcrossSequences(
  text: string,
  find: (text: string) => Promise<Finding[]>,
): Promise<Finding[]> {
  const sequences = Array.from(text.matchAll(SEQUENCES), ({ 0: { length }, index: start }) => ({
    start,
    end: start + length,
  }));
  if (sequences.length === 0) return [];
  const found: Finding[] = [];
  let next = 0;
  for (const window of windowsAround(text, sequences, AROUND)) {
    const parts: string[] = [];
    /** The place in the text of each character of the parts. */
    const places: number[] = [];
    let from = window.start;
    const take = (end: number) => {
      parts.push(text.slice(from, end));
      for (; from < end; from += 1) places.push(from);
    };
    for (
      let sequence = sequences[next];
      sequence !== undefined && sequence.start < window.end;
      sequence = sequences[next]
    ) {
      take(sequence.start);
      from = sequence.end;
      next += 1;
    }
    take(window.end);
    for (const { start, end, ...rest } of await find(parts.join('')))
      found.push({ ...rest, start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1 });
  }
  return found;
}
