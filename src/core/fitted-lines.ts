import { cut, QUARTERS, quartersOf } from './tokens.js';

/** A shorter beginning of a text is useless, quarters of tokens. */
const LEAST_TEXT = 12 * QUARTERS;

/** What lines cost with their line breaks, quarters of tokens. */
export const costOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + quartersOf(line) + 1, 0);

/** The lines of a text with prefixes, at most `most` quarters; empty when there is too little room for any text. */
export function cutLines(
  text: string,
  most: number,
  first: string,
  others: string,
): { lines: string[]; shortened: boolean } {
  const all = text
    .replace(/\n(?:[^\S\n]*\n)+/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const lines: string[] = [];
  let left = most;
  for (const [index, line] of all.entries()) {
    const prefix = index === 0 ? first : others;
    const row = prefix + line;
    const cost = costOf([row]);
    // The last whole line must leave room for the ellipsis, unless it ends the text.
    const ellipsis = index < all.length - 1 ? quartersOf(' …') : 0;
    if (cost + ellipsis <= left) {
      lines.push(row);
      left -= cost;
      continue;
    }
    const room = left - costOf([prefix]);
    if (room >= LEAST_TEXT) lines.push(prefix + withEllipsis(cut(line, room - quartersOf(' …'))));
    else if (lines.length > 0) lines.push(withEllipsis(lines.pop() ?? ''));
    return { lines, shortened: true };
  }
  return { lines, shortened: false };
}

function withEllipsis(line: string): string {
  return line.endsWith('…') ? line : `${line} …`;
}
