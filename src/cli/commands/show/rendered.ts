import type { ShownSource } from '../../../operations/reading/shown.js';
import { UNKNOWN_SPEAKERS } from '../../../reading/speakers.js';
import { type TextLine, TranscriptLines } from '../../../reading/transcript.js';
import type { View } from '../../../terminal/labels.js';
import { TEXT } from '../../../terminal/quote.js';
import { renderLine, sourceHead } from '../../../terminal/whole.js';

/** A source as a person reads it, in parts. */
export async function* rendered(
  { source, turns, dates }: ShownSource,
  pieces: AsyncIterable<string>,
  view: View,
): AsyncGenerator<string> {
  const unlabelled = source.kind === 'conversation' ? UNKNOWN_SPEAKERS : TEXT;
  const startsSpoken = turns?.some(({ role, start }) => start === 0 && role !== 'note') === true;
  yield sourceHead(source, view, turns === null ? unlabelled : startsSpoken ? undefined : 'note');
  const lines = new TranscriptLines(turns ?? [], dates);
  // Empty lines before a heading and at the end are not printed, since the heading adds one.
  let empty: string[] = [];
  const printed = (rows: Iterable<TextLine>): string => {
    let text = '';
    for (const row of rows) {
      const shown = renderLine(row, view);
      if (row.kind === 'text' && row.text.trim() === '') {
        empty.push(shown);
        continue;
      }
      if (row.kind === 'text') text += empty.join('');
      empty = [];
      text += shown;
    }
    return text;
  };
  for await (const piece of pieces) yield printed(lines.of(piece));
  yield printed(lines.end());
}
