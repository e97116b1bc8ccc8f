import type { SourceKind } from '../../core/contract.js';
import type { TurnMark } from '../../core/turns.js';
import { oneLine } from '../../miner/chunk/context.js';
import { sectionsOf, spokenPlaceOf } from '../../miner/keep/sections.js';
import {
  addCounts,
  applyEdits,
  findQuotes,
  movedPlaces,
  readsPalace,
  type SpokenPlace,
  type Traced,
  type TracingSanitiser,
} from '../../sanitiser/index.js';

export interface CleanedText extends Omit<Traced, 'steps'> {
  /** Removed text, on one line, and its replacement. */
  removed: ReadonlyMap<string, string>;
  /** User messages that changed, as drawers store them as context, and their replacements. */
  questions: ReadonlyMap<string, string>;
  /** Maps a position in the filed text to the clean text; a position inside removed text maps to its end. */
  placeAfter(place: number): number;
}

interface SpokenText {
  text: string;
  place: SpokenPlace | undefined;
  /** Length of the speaker line. */
  head: number;
}

const GAP = '\n\n';

/**
 * Applies the current rules to a filed text. A conversation is cleaned turn by turn, as when it was filed: text that the
 * agent program injected is removed from user messages and tool results.
 *
 * @param turns of a conversation. If absent (filed by an earlier version), turns are guessed from speaker lines: an
 *   element like `<system-reminder>…` after a line `User:` counts as injected.
 */
export async function cleanFiled(
  kind: SourceKind,
  text: string,
  sanitiser: TracingSanitiser,
  turns: readonly TurnMark[] | undefined,
): Promise<CleanedText> {
  const sections: SpokenText[] =
    kind === 'conversation'
      ? sectionsOf(text, turns).map((section) => ({ ...section, place: spokenPlaceOf(section) }))
      : [{ text, place: undefined, head: 0 }];
  const redacted: Record<string, number> = {};
  const removed = new Map<string, string>();
  const questions = new Map<string, string>();
  const parts: { start: number; to: number; steps: Traced['steps'] }[] = [];
  let start = 0;
  let clean = '';
  for (const [index, section] of sections.entries()) {
    const traced = await traceSection(section, sections[index - 1], sanitiser);
    addCounts(redacted, traced.redacted);
    if (section.place === 'turn' && traced.steps.length > 0)
      questions.set(oneLine(section.text.slice(section.head)), oneLine(traced.text.slice(section.head)));
    let left = section.text;
    for (const edits of traced.steps) {
      for (const edit of edits)
        removed.set(left.slice(edit.start, edit.end).replace(/\s+/g, ' ').trim(), edit.text);
      left = applyEdits(left, edits);
    }
    parts.push({ start, to: clean.length, steps: traced.steps });
    start += section.text.length;
    clean += traced.text;
  }
  const placeAfter = (place: number): number => {
    let [low, high] = [0, parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((parts[middle]?.start ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    const part = parts[low - 1];
    if (part === undefined) return place;
    return part.to + (movedPlaces([place - part.start], part.steps)[0] ?? 0);
  };
  return { text: clean, redacted, removed, questions, placeAfter };
}

/** Removes quotes of the palace, then sanitises. An emptied turn is removed with its speaker line. */
async function traceSection(
  { text, place, head }: SpokenText,
  before: SpokenText | undefined,
  sanitiser: TracingSanitiser,
): Promise<Traced> {
  if (place === undefined) return sanitiser.trace(text);
  const said = text.slice(head, text.endsWith(GAP) ? -GAP.length : undefined);
  const quotes = findQuotes(said, place === 'result' && before !== undefined && isReading(before, text));
  const edits = quotes.map((quote) => ({ ...quote, start: quote.start + head, end: quote.end + head }));
  const traced = await sanitiser.trace(applyEdits(text, edits), place);
  const redacted = { ...traced.redacted };
  if (edits.length > 0) addCounts(redacted, { echo: edits.length });
  const isEmptied = place === 'turn' && said.trim() !== '' && traced.text.slice(head).trim() === '';
  return isEmptied
    ? { text: '', redacted, steps: [[{ start: 0, end: text.length, text: '' }]] }
    : { text: traced.text, redacted, steps: edits.length > 0 ? [edits, ...traced.steps] : traced.steps };
}

/** Whether a section is a call that reads the palace, followed by a result that is not a failure. */
function isReading({ text }: SpokenText, result: string): boolean {
  const [, name = '', input = ''] = /^\[tool ([^\]\n]*)\]([\s\S]*)$/.exec(text) ?? [];
  return name !== '' && result.startsWith('[result]') && readsPalace(name, input);
}
