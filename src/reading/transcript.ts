import type { DatedStretch } from '../store/index.js';

/** A line of a source's text, or the heading of a turn in a transcript. */
export type TextLine =
  | { kind: 'text'; text: string }
  | { kind: 'speaker'; role: 'user' | 'assistant' | 'tool'; date: string | undefined };

const SPEAKERS: Record<string, 'user' | 'assistant'> = { 'User:': 'user', 'Assistant:': 'assistant' };
const TOOL = /^\[(?:tool [^\]]+|result(?:: error)?)\]/;

/** Lines of a text that comes in pieces, without their line feeds; `start` in UTF-16 units. */
function* linesOf(pieces: Iterable<Buffer>): Generator<{ text: string; start: number }> {
  let rest: string[] = [];
  let start = 0;
  for (const piece of pieces) {
    const lines = piece.toString('utf8').split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const text = rest.join('') + line;
      rest = [];
      yield { text, start };
      start += text.length + 1;
    }
    rest.push(last);
  }
  const text = rest.join('');
  if (text !== '') yield { text, start };
}

/** The lines of a document, as they are. */
export function* wholeLines(pieces: Iterable<Buffer>): Generator<TextLine> {
  for (const { text } of linesOf(pieces)) yield { kind: 'text', text };
}

/**
 * The lines of a filed transcript with its speakers as headings. A turn is known by the line that the miner
 * wrote above it; somebody's words that hold just such a line behind an empty one look like a turn.
 *
 * @param dates in the order of the text
 */
export function* transcriptLines(
  pieces: Iterable<Buffer>,
  dates: readonly DatedStretch[],
): Generator<TextLine> {
  let at = 0;
  let empty = true;
  let role: 'user' | 'assistant' | 'tool' | undefined;
  for (const { text, start } of linesOf(pieces)) {
    while ((dates[at + 1]?.charStart ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    const stretch = dates[at];
    const date = stretch !== undefined && stretch.charStart <= start ? stretch.contentDate : undefined;
    const speaker = empty ? SPEAKERS[text] : undefined;
    if (speaker !== undefined) {
      role = speaker;
      yield { kind: 'speaker', role, date };
    } else if (empty && role !== 'tool' && TOOL.test(text)) {
      role = 'tool';
      yield { kind: 'speaker', role, date };
      yield { kind: 'text', text };
    } else {
      yield { kind: 'text', text };
    }
    empty = text === '';
  }
}
