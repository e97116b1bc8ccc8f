import type { Finding } from './findings.js';
import { windowsAround } from './windows.js';

/** Colours of a terminal, also escaped as in JSON. They part a key from its value, and a secret from the word before it. */
const COLOURS = /(?:\u001b|\\{1,7}(?:u001[bB]|x1[bB]|033|e))\[[\d;]{0,20}m/g;

/** Before and behind a colour: more than a key and a value. */
const AROUND = { near: 256, reach: 1_024 };

/**
 * The findings near colours, in the text without its colours.
 *
 * @returns with their places in the text
 */
export async function findBehindColours(
  text: string,
  find: (text: string) => Promise<Finding[]>,
): Promise<Finding[]> {
  const colours = Array.from(text.matchAll(COLOURS), ({ 0: { length }, index: start }) => ({
    start,
    end: start + length,
  }));
  if (colours.length === 0) return [];
  const found: Finding[] = [];
  let next = 0;
  for (const window of windowsAround(text, colours, AROUND)) {
    const parts: string[] = [];
    /** The place in the text of each character between colours. */
    const places: number[] = [];
    let from = window.start;
    const take = (end: number) => {
      parts.push(text.slice(from, end));
      for (; from < end; from += 1) places.push(from);
    };
    for (
      let colour = colours[next];
      colour !== undefined && colour.start < window.end;
      colour = colours[next]
    ) {
      take(colour.start);
      from = colour.end;
      next += 1;
    }
    take(window.end);
    for (const { start, end, ...rest } of await find(parts.join('')))
      found.push({ ...rest, start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1 });
  }
  return found;
}
