import { headAt, type TurnMark } from '../core/turns.js';
import type { DatedStretch } from '../store/index.js';
import { speakerOf } from './speakers.js';

/** A line of a source's text, or the heading of a turn. */
export type TextLine =
  | { kind: 'text'; text: string }
  | { kind: 'speaker'; speaker: string; date: string | undefined };

/**
 * The lines of a filed transcript, whose text comes in pieces, with headings at the recorded turns only: text that looks
 * like a heading stays text.
 */
export class TranscriptLines {
  /** The beginning of a line that the next piece continues, and its offset. */
  #rest: string[] = [];
  #start = 0;
  #date = 0;
  #turn = 0;

  /**
   * @param turns ascending; empty for a document
   * @param dates in the order of the text
   */
  constructor(
    private readonly turns: readonly TurnMark[],
    private readonly dates: readonly DatedStretch[],
  ) {}

  /** The lines that end in a piece. */
  *of(piece: string): Generator<TextLine> {
    const lines = piece.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const text = this.#rest.join('') + line;
      this.#rest = [];
      yield* this.#line(text);
      this.#start += text.length + 1;
    }
    this.#rest.push(last);
  }

  /** The last line, if it does not end in a line feed. */
  *end(): Generator<TextLine> {
    const text = this.#rest.join('');
    if (text !== '') yield* this.#line(text);
  }

  *#line(text: string): Generator<TextLine> {
    const start = this.#start;
    const { turns, dates } = this;
    while ((dates[this.#date + 1]?.charStart ?? Number.POSITIVE_INFINITY) <= start) this.#date += 1;
    while ((turns[this.#turn]?.start ?? Number.POSITIVE_INFINITY) < start) this.#turn += 1;
    const turn = turns[this.#turn];
    const head = turn?.start === start ? headAt(`${text}\n`, { ...turn, start: 0 }) : undefined;
    if (turn === undefined || head === undefined) {
      yield { kind: 'text', text };
      return;
    }
    const stretch = dates[this.#date];
    const date = stretch !== undefined && stretch.charStart <= start ? stretch.contentDate : undefined;
    // The session's header needs no heading.
    if (start > 0 || turn.role !== 'note') yield { kind: 'speaker', speaker: speakerOf(turn, head), date };
    if (head !== `${text}\n`) yield { kind: 'text', text };
  }
}

/** As `TranscriptLines`, of a text that is there. */
export function* transcriptLines(
  pieces: Iterable<string>,
  turns: readonly TurnMark[],
  dates: readonly DatedStretch[],
): Generator<TextLine> {
  const lines = new TranscriptLines(turns, dates);
  for (const piece of pieces) yield* lines.of(piece);
  yield* lines.end();
}
