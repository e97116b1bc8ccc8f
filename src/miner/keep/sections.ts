import { guessedTurns, headAt, type TurnMark } from '../../core/turns.js';
import type { SpokenPlace } from '../../sanitiser/index.js';

/** A turn of a transcript's text: the transcriber's line, and the words up to the next turn. */
export interface Section extends TurnMark {
  /** Offset of its end in the whole text. */
  end: number;
  text: string;
  /** Length of the transcriber's line in `text`. */
  head: number;
}

/**
 * The text in sections. What precedes the first mark is a note.
 *
 * @param turns if absent (filed by an earlier version), they are guessed from the transcriber's lines
 */
export function sectionsOf(text: string, turns: readonly TurnMark[] = guessedTurns(text)): Section[] {
  const marks: readonly TurnMark[] =
    text !== '' && turns[0]?.start !== 0 ? [{ role: 'note', start: 0 }, ...turns] : turns;
  return marks.flatMap((mark, index) => {
    const end = marks[index + 1]?.start ?? text.length;
    if (end <= mark.start) return [];
    const head = mark.role === 'call' ? '' : (headAt(text, mark) ?? '');
    return [{ ...mark, end, text: text.slice(mark.start, end), head: head.length }];
  });
}

/** The words of a section, without white space around them. */
export function wordsOf({ text, head }: Pick<Section, 'text' | 'head'>): string {
  return text.slice(head).trim();
}

/** Where a sanitiser expects its words. */
export function spokenPlaceOf({ role }: Pick<Section, 'role'>): SpokenPlace | undefined {
  return role === 'user' ? 'turn' : role === 'result' ? 'result' : undefined;
}
