import { headAt, type TurnMark } from '../core/turns.js';
import type { DatedStretch } from '../store/index.js';
import { speakerOf } from './speakers.js';

/** A line of a source's text, or the heading of a turn. */
export type TextLine =
  | { kind: 'text'; text: string }
  | { kind: 'speaker'; speaker: string; date: string | undefined };

/** Lines of a text that comes in pieces, without line feeds; `start` in UTF-16 units. */
function* linesOf(pieces: Iterable<string>): Generator<{ text: string; start: number }> {
  let rest: string[] = [];
  let start = 0;
  for (const piece of pieces) {
    const lines = piece.split('\n');
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

/**
 * The lines of a filed transcript, with headings at the recorded turns only: text that looks like a heading stays text.
 *
 * @param turns ascending; empty for a document
 * @param dates in the order of the text
 */
export function* transcriptLines(
  pieces: Iterable<string>,
  turns: readonly TurnMark[],
  dates: readonly DatedStretch[],
): Generator<TextLine> {
  let at = 0;
  let next = 0;
  for (const { text, start } of linesOf(pieces)) {
    while ((dates[at + 1]?.charStart ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    while ((turns[next]?.start ?? Number.POSITIVE_INFINITY) < start) next += 1;
    const turn = turns[next];
    const head = turn?.start === start ? headAt(`${text}\n`, { ...turn, start: 0 }) : undefined;
    if (turn === undefined || head === undefined) {
      yield { kind: 'text', text };
      continue;
    }
    const stretch = dates[at];
    const date = stretch !== undefined && stretch.charStart <= start ? stretch.contentDate : undefined;
    // The session's header needs no heading.
    if (start > 0 || turn.role !== 'note')
      yield { kind: 'speaker', speaker: speakerOf(turn.role, head), date };
    if (head !== `${text}\n`) yield { kind: 'text', text };
  }
}
