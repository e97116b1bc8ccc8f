import { createReadStream } from 'node:fs';

/** A longer line than any export has; also what keeps a file without line breaks out of memory. */
const MOST_CHARS = 64 * 1024 * 1024;

export interface NumberedLine {
  /** From 1. */
  number: number;
  /** Undefined for a line that is too long to be read. */
  text: string | undefined;
}

/**
 * The lines of a UTF-8 file, split at line feeds alone (Node's readline splits at separators that stand in texts),
 * without empty ones.
 */
export async function* linesOf(file: string): AsyncGenerator<NumberedLine> {
  let held: string[] = [];
  let length = 0;
  let number = 1;
  const take = (): NumberedLine => {
    const text = length > MOST_CHARS ? undefined : held.join('');
    held = [];
    length = 0;
    return { number: number++, text };
  };
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const parts = String(chunk).split('\n');
    for (const [index, part] of parts.entries()) {
      length += part.length;
      if (length <= MOST_CHARS) held.push(part);
      else held = [];
      if (index === parts.length - 1) break;
      const line = take();
      if (line.text !== '') yield line;
    }
  }
  const last = take();
  if (last.text !== '') yield last;
}
