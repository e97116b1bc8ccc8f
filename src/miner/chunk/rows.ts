import type { Line } from './lines.js';

/** A line as the block scanner looks at it. */
export interface Row {
  /** Columns of indentation. */
  indent: number;
  /** The line without its indentation and terminator. */
  rest: string;
}

export function rowOf(text: string, line: Line): Row {
  let indent = 0;
  let at = line.text;
  for (; at < line.end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 32) indent++;
    else if (unit === 9) indent += 4 - (indent % 4);
    else break;
  }
  let end = line.end;
  while (end > at && (text.charCodeAt(end - 1) === 10 || text.charCodeAt(end - 1) === 13)) end--;
  return { indent, rest: text.slice(at, end) };
}

export function skipBlank(rows: readonly Row[], from: number): number {
  let at = from;
  while (rows[at]?.rest === '') at++;
  return at;
}
