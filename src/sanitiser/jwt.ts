import { exactly, type Finder, matchAt } from './finder.js';
import { byShape } from './rule.js';

/** `{"`, `{ "`, and `{` at the end of a line, in base64: how the header and the claims of a JWT begin. */
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

/** A JWT over several lines, all but the last of them equally long. */
export const WRAPPED_JWT: Finder = {
  anchors: exactly(STARTS),
  at: (text, place) => {
    const first = matchAt(FIRST, text, place)?.[0];
    if (first === undefined) return undefined;
    const start =
      text.lastIndexOf('\n', place) < place - COLUMNS.most ? place : text.lastIndexOf('\n', place) + 1;
    const width = place + first.length - start;
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
