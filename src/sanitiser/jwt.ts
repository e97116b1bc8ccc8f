import { exactly, type Finder, matchAt } from './finder.js';
import { byShape } from './rule.js';

/** `{"`, `{ "`, and `{` at the end of a line, in base64: the start of the header and of the claims. */
const STARTS = ['eyJ', 'eyA', 'ew0', 'ewo'];
const PART = `(?:${STARTS.join('|')})[\\w-]{10}[\\w-]*`;
const TOKEN = `${PART}\\.${PART}\\.[\\w-]{10}[\\w-]*`;
const WHOLE = new RegExp(`^${TOKEN}$`);

export const JWT = byShape('jwt', new RegExp(`(?<![\\w-])(?<secret>${TOKEN})`), undefined, STARTS);

/** Mail and `base64` wrap at 64, 72 or 76 columns, editors at 80. */
const COLUMNS = { least: 60, most: 80 };
const MOST_LINES = 60;
const FIRST = /(?<![\w.-])[\w.-]{20,80}(?==?\r?\n)/y;
const NEXT = /=?\r?\n[ \t>]{0,8}(?<run>[\w.-]{1,80})(?=[\s"'`,;)=]|$)/y;

/** A JWT on several lines of equal length; the last one may be shorter. */
export const WRAPPED_JWT: Finder = {
  anchors: exactly(STARTS),
  at: (text, place) => {
    const first = matchAt(FIRST, text, place)?.[0];
    if (first === undefined) return undefined;
    const feed = text.lastIndexOf('\n', place);
    const width = place + first.length - (feed < place - COLUMNS.most ? place : feed + 1);
    if (width < COLUMNS.least || width > COLUMNS.most) return undefined;
    let joined = first;
    let end = place + first.length;
    for (let line = 0; line < MOST_LINES; line += 1) {
      const run = matchAt(NEXT, text, end)?.groups?.run;
      if (run === undefined) break;
      joined += run;
      end = NEXT.lastIndex;
      if (run.length < width - 1) break;
    }
    if (end === place + first.length || !WHOLE.test(joined)) return undefined;
    return { findings: [{ start: place, end, kind: 'jwt' }], next: end };
  },
};
