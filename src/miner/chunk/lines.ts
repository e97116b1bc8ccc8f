export interface Line {
  start: number;
  /** After the line terminator. */
  end: number;
}

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

const LINE_END = /\r\n|\n|\r/g;

/** Counts lines over consecutive parts of a text. */
export class LineCounter {
  /** 1-based line at the current position. */
  line = 1;

  /** Advances over `text.slice(from, to)`, which must not split a CR LF. */
  advance(text: string, from: number, to: number): void {
    const part = text.slice(from, to);
    for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) this.line++;
    for (let at = part.indexOf('\r'); at !== -1; at = part.indexOf('\r', at + 1)) {
      if (part.charCodeAt(at + 1) !== 10) this.line++;
    }
  }
}
