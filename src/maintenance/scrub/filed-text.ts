import type { SourceKind } from '../../core/contract.js';
import { headAt, type TurnMark, USER_HEAD } from '../../core/turns.js';
import { oneLine } from '../../miner/chunk/context.js';
import {
  addCounts,
  applyEdits,
  type Edit,
  findQuotes,
  readsPalace,
  type SpokenPlace,
  type Traced,
  type TracingSanitiser,
} from '../../sanitiser/index.js';

/** A filed text as the sanitiser wants it today. */
export interface TracedText extends Traced {
  /** Of a conversation: the questions that changed, as drawers carry them, each with what it is now. */
  questions: Map<string, string>;
}

interface Section {
  text: string;
  place: SpokenPlace | undefined;
  /** Length of the line that says who speaks. */
  head: number;
}

/** Behind everything that somebody says. */
const GAP = '\n\n';
/** The lines that `TranscriptText` puts before what somebody says, in what was filed before their places were kept. */
const HEADS = /(?<=^|\n\n)(?:User:\n|Assistant:\n|\[result(?:: error)?\]\n|\[tool [^\]\n]*\])/g;

/**
 * What today's rules make of a text as the palace keeps it. A conversation is looked at turn by turn, as when it was
 * filed: what a harness injected is taken out of what the user said and tools gave back.
 *
 * @param turns of a conversation. Without them (filed by an earlier version) the turns are guessed by the lines before
 *   them: in what is said behind `User:` on a line of its own an element like `<system-reminder>…` is taken for injected.
 */
export async function traceFiled(
  kind: SourceKind,
  text: string,
  sanitiser: TracingSanitiser,
  turns: readonly TurnMark[] | undefined,
): Promise<TracedText> {
  const questions = new Map<string, string>();
  if (kind !== 'conversation') return { ...(await sanitiser.trace(text)), questions };
  const sections = sectionsOf(text, turns);
  const traced: Traced[] = [];
  for (const [index, section] of sections.entries()) {
    const result = await traceSection(section, sections[index - 1], sanitiser);
    const before = section.text.slice(section.head);
    const after = result.text.slice(section.head);
    if (section.place === 'turn' && result.steps.length > 0) questions.set(oneLine(before), oneLine(after));
    const emptied = section.place === 'turn' && after.trim() === '' && before.trim() !== '';
    traced.push(emptied ? { ...result, ...withoutAll(section.text) } : result);
  }
  return { ...joined(sections, traced), questions };
}

/** What quotes the palace goes first; then the sanitiser has the last word. */
async function traceSection(
  { text, place, head }: Section,
  before: Section | undefined,
  sanitiser: TracingSanitiser,
): Promise<Traced> {
  if (place === undefined) return sanitiser.trace(text, place);
  const said = text.slice(head, text.endsWith(GAP) ? -GAP.length : undefined);
  const quotes = findQuotes(said, place === 'result' && before !== undefined && isReading(before, text));
  if (quotes.length === 0) return sanitiser.trace(text, place);
  const edits = quotes.map(({ start, end, text: line }) => ({
    start: start + head,
    end: end + head,
    text: line,
  }));
  const traced = await sanitiser.trace(applyEdits(text, edits), place);
  const redacted = { ...traced.redacted };
  addCounts(redacted, { echo: edits.length });
  return { ...traced, redacted, steps: [edits, ...traced.steps] };
}

/** Whether a section is a call that reads the palace, and the result behind it no failure. */
function isReading({ text }: Section, result: string): boolean {
  const [, name = '', input = ''] = /^\[tool ([^\]\n]*)\]([\s\S]*)$/.exec(text) ?? [];
  return name !== '' && result.startsWith('[result]') && readsPalace(name, input);
}

function sectionsOf(text: string, turns: readonly TurnMark[] | undefined): Section[] {
  const heads =
    turns?.map((turn) => ({ head: headAt(text, turn) ?? '', index: turn.start })) ??
    Array.from(text.matchAll(HEADS), ({ 0: head, index }) => ({ head, index }));
  const starts = [{ head: '', index: 0 }, ...heads];
  return starts.map(({ head, index }, place) => ({
    text: text.slice(index, starts[place + 1]?.index ?? text.length),
    place: head === USER_HEAD ? 'turn' : head.startsWith('[result') ? 'result' : undefined,
    head: head.length,
  }));
}

/** A turn of which nothing is left goes with the line before it. */
function withoutAll(text: string): Pick<Traced, 'text' | 'steps'> {
  return { text: '', steps: [[{ start: 0, end: text.length, text: '' }]] };
}

/** The edits of the sections as edits of the whole. */
function joined(sections: readonly Section[], traced: readonly Traced[]): Traced {
  const redacted: Record<string, number> = {};
  for (const each of traced)
    for (const [kind, count] of Object.entries(each.redacted)) redacted[kind] = (redacted[kind] ?? 0) + count;
  const depth = traced.reduce((most, { steps }) => Math.max(most, steps.length), 0);
  const lengths = sections.map(({ text }) => text.length);
  const steps: Edit[][] = [];
  for (let step = 0; step < depth; step += 1) {
    const edits: Edit[] = [];
    let base = 0;
    for (const [index, { steps: own }] of traced.entries()) {
      let length = lengths[index] ?? 0;
      const from = base;
      base += length;
      for (const { start, end, text } of own[step] ?? []) {
        edits.push({ start: start + from, end: end + from, text });
        length += text.length - (end - start);
      }
      lengths[index] = length;
    }
    steps.push(edits);
  }
  return { text: traced.map(({ text }) => text).join(''), redacted, steps };
}
