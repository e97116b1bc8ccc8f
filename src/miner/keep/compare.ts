import { type CutOutput, cutOutput } from '../../core/cut-output.js';
import { SESSION_HEADER } from '../../core/session-header.js';
import { type Section, wordsOf } from './sections.js';

/** What becomes of a filed section. Indexes are those of the sections of the new version. */
export type Fate =
  /** The new version contains it, or what replaced it. */
  | { kind: 'present'; at: number | undefined }
  /** The new version lost it: it stays, after the section with this index (-1: before all). */
  | { kind: 'kept'; after: number }
  /**
   * The new version contains only a part of it, at this index: the filed section stays in its place. `gone`: the source has
   * lost it.
   */
  | { kind: 'instead'; at: number; gone: boolean };

export interface NewSections {
  sections: readonly Section[];
  /** Ids of its messages, also of those without words. */
  messages: ReadonlySet<string>;
  /** Ids of messages that it leaves out on purpose: undone in the program, or contained in other sources. */
  leftOut: ReadonlySet<string>;
  /** Another version of a reader or of the sanitiser made it: the same words may look different. */
  reshaped: boolean;
  /** Filed messages are missing, or rows could not be read. */
  incomplete: boolean;
  /** Whether another source, one of `standsIn`, contains this turn. */
  isElsewhere(turn: Pick<Section, 'role' | 'text'>): boolean;
}

/** A section without an id that was changed is recognised by this many characters at its beginning. */
const RECOGNISED_BY = 24;
/** A text that is at least this long, compared with the filed one, may be an edit of it. */
const EDITED_LENGTH = 0.8;
/** The share of the filed text that an edit leaves at the beginning and the end. */
const EDITED_SHARE = 0.5;
/** The transcriber's note that a tool had not finished when it was read. */
const UNFINISHED = /\[(?:interrupted: |state of the tool: )[^\]\n]*\]$/;
const REDACTION = /\[(?:REDACTED:[\w-]+|PRIVATE)\]/g;

/**
 * Compares the filed sections of a transcript, in order, with those of a new version. A section is lost if the new version
 * contains neither its message nor its words. A message whose text grew or was edited replaces the filed one; a text that
 * was emptied or cut off does not.
 */
export function fatesOf(filed: readonly Section[], now: NewSections): Fate[] {
  const free = new FreeSections(now.sections);
  const matched = matchEqual(filed, now, free);
  let anchor = leadingNotes(now.sections) - 1;
  return filed.map((section, index) => {
    const fate = fateOf(section, matched[index], now, free, anchor);
    if (fate.kind !== 'kept' && fate.at !== undefined) anchor = fate.at;
    return fate;
  });
}

class FreeSections {
  readonly #taken = new Set<number>();
  readonly #byKey = new Map<string, number[]>();

  constructor(readonly sections: readonly Section[]) {
    for (const [index, section] of sections.entries())
      for (const key of keysOf(section)) {
        const others = this.#byKey.get(key);
        if (others === undefined) this.#byKey.set(key, [index]);
        else others.push(index);
      }
  }

  /** Takes the first free section under a key, if it is before an index. */
  take(key: string, before = Number.POSITIVE_INFINITY): number | undefined {
    const all = this.#byKey.get(key);
    while (all?.[0] !== undefined && this.#taken.has(all[0])) all.shift();
    const index = all?.[0];
    if (index === undefined || index >= before) return undefined;
    this.#taken.add(index);
    return index;
  }

  takeAt(index: number): boolean {
    if (index >= this.sections.length || this.#taken.has(index)) return false;
    this.#taken.add(index);
    return true;
  }

  /** Index of a message's last section, taken or not. */
  lastOf(message: string): number | undefined {
    return this.#byKey.get(keyOf.message(message))?.at(-1);
  }
}

const keyOf = {
  equal: ({ message, role, text }: Section) => `equal\0${message ?? ''}\0${role}\0${text}`,
  words: ({ role, text }: Section) => `words\0${role}\0${text}`,
  beginning: (section: Section) => `beginning\0${section.role}\0${wordsOf(section).slice(0, RECOGNISED_BY)}`,
  part: ({ message, role }: Section) => `part\0${message ?? ''}\0${role}`,
  message: (message: string) => `message\0${message}`,
  output: ({ path, isWhole }: CutOutput) => `output\0${isWhole}\0${path}`,
};

/** Of the result of a tool that a program cut. */
function outputOf(section: Section): CutOutput | undefined {
  return section.role === 'result' ? cutOutput(wordsOf(section)) : undefined;
}

function keysOf(section: Section): string[] {
  const { equal, words, beginning, part, message } = keyOf;
  const named = section.message === undefined ? [] : [message(section.message)];
  const cut = outputOf(section);
  const output = cut === undefined ? [] : [keyOf.output(cut)];
  return [equal(section), words(section), beginning(section), part(section), ...named, ...output];
}

function matchEqual(filed: readonly Section[], now: NewSections, free: FreeSections) {
  const matched = filed.map((section) => {
    const { message } = section;
    if (message === undefined) return free.take(keyOf.words(section));
    return now.messages.has(message) ? free.take(keyOf.equal(section)) : undefined;
  });
  matchRenamed(filed, now, free, matched);
  return matched;
}

/**
 * Matches sections whose message has another id now: a program may give its messages new ids, or say the same in two
 * records, of which one is lost. Equal words alone do not show it, as a user says `continue` again and again. But what is
 * new follows everything that is still there: the equal section must precede the last match, or follow the previous one.
 */
function matchRenamed(
  filed: readonly Section[],
  { sections, messages }: NewSections,
  free: FreeSections,
  matched: (number | undefined)[],
): void {
  const last = matched.reduce<number>((most, at = -1) => Math.max(most, at), -1);
  let previous = leadingNotes(sections) - 1;
  for (const [index, section] of filed.entries()) {
    const isLost = section.message !== undefined && !messages.has(section.message);
    if (matched[index] === undefined && isLost) {
      const next = sections[previous + 1];
      const follows = next !== undefined && says(next, section) && free.takeAt(previous + 1);
      matched[index] = follows ? previous + 1 : free.take(keyOf.words(section), last);
    }
    previous = matched[index] ?? previous;
  }
}

/** Whether the words are equal, or are the end of an answer: another release of a program may store its thoughts, too. */
function says(now: Section, filed: Section): boolean {
  if (now.role !== filed.role) return false;
  const isAnswer = filed.role === 'assistant' && wordsOf(filed) !== '';
  return now.text === filed.text || (isAnswer && wordsOf(now).endsWith(`\n\n${wordsOf(filed)}`));
}

function fateOf(
  section: Section,
  equal: number | undefined,
  now: NewSections,
  free: FreeSections,
  anchor: number,
): Fate {
  const { message } = section;
  const dropped = (at?: number): Fate => ({ kind: 'present', at });
  if (equal !== undefined) return dropped(equal);
  if (wordsOf(section) === '' || isHeader(section)) return dropped();
  if (message !== undefined && now.leftOut.has(message)) return dropped();
  if (now.isElsewhere(section)) return dropped();
  // A program cuts outputs in its records, and removes the files with the whole ones after some days.
  const output = outputOf(section);
  const other = output && free.take(keyOf.output({ ...output, isWhole: !output.isWhole }));
  if (other !== undefined)
    return output?.isWhole ? { kind: 'instead', at: other, gone: false } : dropped(other);
  const kept: Fate = { kind: 'kept', after: anchor };
  if (message !== undefined && !now.messages.has(message)) return kept;
  if (message !== undefined && now.reshaped) {
    const at = free.lastOf(message);
    return at === undefined ? kept : dropped(at);
  }
  const at = free.take(message === undefined ? keyOf.beginning(section) : keyOf.part(section));
  const found = at === undefined ? undefined : free.sections[at];
  if (at === undefined || found === undefined) {
    return message === undefined && now.reshaped && !now.incomplete ? dropped() : kept;
  }
  if (now.reshaped || replaces(found, section)) return dropped(at);
  return isCutOf(found, section) ? { kind: 'instead', at, gone: true } : kept;
}

/** Whether the new section is what became of the filed one. */
function replaces(found: Section, filed: Section): boolean {
  const [before, after] = [wordsOf(filed), wordsOf(found)];
  if (found.head !== filed.head || UNFINISHED.test(before) || after.includes(before)) return true;
  if (isCutOf(found, filed)) return false;
  // The input of a call may be incomplete while the program writes it.
  if (filed.role === 'call') return true;
  if (count(after, REDACTION) > count(before, REDACTION)) return true;
  return (
    after.length >= EDITED_LENGTH * before.length && common(before, after) >= EDITED_SHARE * before.length
  );
}

function isCutOf(found: Section, filed: Section): boolean {
  return wordsOf(filed).includes(wordsOf(found).replace(/(?:…|\.{3})$/, ''));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Number of equal characters at the beginning and at the end. */
function common(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (start + end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return start + end;
}

function isHeader({ role, text }: Section): boolean {
  return role === 'note' && SESSION_HEADER.test(text.trim());
}

function leadingNotes(sections: readonly Section[]): number {
  const first = sections.findIndex((section) => !isHeader(section));
  return first === -1 ? sections.length : first;
}
