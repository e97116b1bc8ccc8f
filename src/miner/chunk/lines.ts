export interface Line {
  start: number;
  /** After the line terminator. */
  end: number;
}

const LINE_END = /\r\n|\n|\r/g;

/** CR LF, LF and a lone CR end a line. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    const end = match.index + match[0].length;
    lines.push({ start, end });
    start = end;
  }
  if (start < text.length) lines.push({ start, end: text.length });
  return lines;
}

/** Number of line ends in `text.slice(from, to)`, which must not split a CR LF. */
export function lineEnds(text: string, from: number, to: number): number {
  return text.slice(from, to).match(LINE_END)?.length ?? 0;
}
