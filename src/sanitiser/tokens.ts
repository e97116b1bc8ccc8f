import { groupBy } from '../core/group-by.js';
import { exactly, type Finder, matchAt } from './finder.js';
import { TOKEN_TABLE } from './token-table.js';

const BY_START = groupBy(
  TOKEN_TABLE.flatMap((row) => row.starts.map((start) => ({ start, row }))),
  ({ start }) => start,
);
export const TOKEN_STARTS: readonly string[] = [...BY_START.keys()];

/** `ghp_xxxxxxxxxxxx…`: a placeholder in the shape of a token. */
const MASK = /x{16}|X{16}/;
/** Before a start: it is inside a word. Digits and underscores are allowed. */
const IN_WORD = /[A-Za-z]/;

/** In base64 or in a hash of `go.sum` or a lock file, short starts occur by chance. */
const BEFORE_IN_DATA = /(?:[\w+/-]|h1:|sha\d{1,3}[-:])$/i;
const AFTER_IN_DATA = /[+/=]/;

/** Longer than any token of the table. */
const LONGEST = 4_200;
/** base64url data, a line of dashes. */
const ENDLESS = new RegExp(`[\\w-]{${LONGEST}}[\\w-]*`, 'y');

export const TOKENS: Finder = {
  anchors: exactly(TOKEN_STARTS),
  at: (text, place, start) => {
    if (IN_WORD.test(text.charAt(place - 1))) return undefined;
    for (const { row } of BY_START.get(start) ?? []) {
      const { kind, pattern, accept, general = false, common = false } = row;
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
    // No token that starts here can end; checking each place of such a run would take minutes.
    return matchAt(ENDLESS, text, place) !== null
      ? { findings: [], next: ENDLESS.lastIndex - LONGEST }
      : undefined;
  },
};
