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

/**
 * The beginning and the end of a text that is too long, at most `most` quarters, each line after `prefix`; `gap` says how
 * many characters are between them. Only the beginning, where there is too little room for both.
 */
export function endLines(
  text: string,
  most: number,
  prefix: string,
  gap: (characters: number) => string,
): string[] {
  const whole = cutLines(text, most, prefix, prefix);
  const half = Math.floor((most - costOf([prefix + gap(text.length)])) / 2);
  if (!whole.shortened || half < 2 * LEAST_TEXT) return whole.lines;
  const { lines: first } = cutLines(text, half, prefix, prefix);
  const last = lastLines(text, half, prefix);
  const shown = [...first, ...last].reduce((sum, line) => sum + line.length - prefix.length, 0);
  return [...first, prefix + gap(text.length - shown), ...last];
}

function lastLines(text: string, most: number, prefix: string): string[] {
  const lines: string[] = [];
  let left = most;
  for (const line of text.trimEnd().split('\n').reverse()) {
    if (line.trim() === '') continue;
    const row = prefix + line.trimEnd();
    left -= costOf([row]);
    if (left < 0) return lines.length > 0 ? lines : [prefix + endOf(line.trimEnd(), most - costOf([prefix]))];
    lines.unshift(row);
  }
  return lines;
}

/** The end of a line, at most `quarters` quarters of tokens, after an ellipsis. */
function endOf(line: string, quarters: number): string {
  const backwards = [...line].reverse().join('');
  return [...cut(backwards, quarters)].reverse().join('');
}

function withEllipsis(line: string): string {
  return line.endsWith('…') ? line : `${line} …`;
}
