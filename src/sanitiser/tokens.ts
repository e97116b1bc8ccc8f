import { exactly, type Finder, matchAt } from './finder.js';
import { TOKEN_TABLE } from './token-table.js';

const ROWS = TOKEN_TABLE.map((row) => ({
  ...row,
  pattern: new RegExp(`(?:${row.starts.map(escaped).join('|')})${row.rest}(?![\\w-])`, 'y'),
}));
const BY_START = new Map<string, typeof ROWS>();
for (const row of ROWS)
  for (const start of row.starts) BY_START.set(start, [...(BY_START.get(start) ?? []), row]);

/** What tokens begin with. */
export const TOKEN_STARTS: readonly string[] = [...BY_START.keys()];

/** `ghp_xxxxxxxxxxxx…`: the shape of a token, shown with nothing in it. */
const MASK = /x{16}|X{16}/;
/** Behind a digit or an underscore, too, never in the middle of a word. */
const IN_WORD = /[A-Za-z]/;

/** In a run of base64, a hash of `go.sum` or of a lock file: a beginning of few letters turns up there by chance. */
const BEFORE_IN_DATA = /(?:[\w+/-]|h1:|sha\d{1,3}[-:])$/i;
const AFTER_IN_DATA = /[+/=]/;

/** No row of the table describes a longer one. */
const LONGEST = 4_200;
/** Longer than any token can be, without an end: base64url data, a line of dashes. */
const ENDLESS = new RegExp(`[\\w-]{${LONGEST}}[\\w-]*`, 'y');

export const TOKENS: Finder = {
  anchors: exactly(TOKEN_STARTS),
  at: (text, place, start) => {
    if (IN_WORD.test(text.charAt(place - 1))) return undefined;
    for (const { kind, pattern, accept, general = false, common = false } of BY_START.get(start) ?? []) {
      if (matchAt(pattern, text, place) === null) continue;
      const end = pattern.lastIndex;
      if (
        common &&
        (BEFORE_IN_DATA.test(text.slice(Math.max(0, place - 8), place)) ||
          AFTER_IN_DATA.test(text.charAt(end)))
      )
        continue;
      const rest = text.slice(place + start.length, end);
      if (MASK.test(rest) || accept?.(rest) === false) continue;
      return { findings: [{ start: place, end, kind, general }], next: end };
    }
    // Nothing that begins here ends where a token has to; asking at each place of such a run takes minutes.
    return matchAt(ENDLESS, text, place) !== null
      ? { findings: [], next: ENDLESS.lastIndex - LONGEST }
      : undefined;
  },
};

function escaped(literal: string): string {
  return literal.replace(/[.+/$]/g, '\\$&');
}
