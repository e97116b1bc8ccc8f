import {
  ASSISTANT_HEAD,
  headAt,
  resultHead,
  type TurnMark,
  type TurnRole,
  USER_HEAD,
} from '../core/turns.js';

/** Names of speakers for readers. */
const SPEAKERS: Record<TurnRole, string> = {
  user: 'user',
  assistant: 'assistant',
  call: 'tool call',
  result: 'tool result',
  note: 'note',
};

/** Added to the speaker of a turn that was filed and is no longer in its source. */
const GONE = ' (no longer in the source)';

/** The heading of a turn, from the generated line at its mark. */
export function speakerOf({ role, gone }: Pick<TurnMark, 'role' | 'gone'>, head: string): string {
  const speaker = role === 'result' && head.includes('error') ? `${SPEAKERS.result}: error` : SPEAKERS[role];
  return gone === true ? speaker + GONE : speaker;
}

/** Text by one speaker, without its generated heading line. */
export interface Spoken {
  /** Undefined for a document, and before the first mark. */
  speaker: string | undefined;
  text: string;
}

interface Slice {
  text: string;
  charStart: number;
  charEnd: number;
}

/** Shown for a conversation that was filed before turns were recorded. */
export const UNKNOWN_SPEAKERS = 'who speaks is not recorded: filed by an earlier version';

/**
 * Splits drawers of one source by speaker, in order. A gap between two drawers is marked.
 *
 * @param turns of the source; undefined for a document, `unknown` for a conversation without recorded turns
 */
export function spokenIn(
  drawers: readonly Slice[],
  turns: readonly TurnMark[] | 'unknown' | undefined,
): Spoken[] {
  const spoken: Spoken[] = [];
  let before: number | undefined;
  for (const { text, charStart, charEnd } of drawers) {
    if (before !== undefined && before !== charStart) spoken.push({ speaker: 'left out here', text: '' });
    const parts =
      turns === undefined || turns === 'unknown'
        ? [{ speaker: turns && UNKNOWN_SPEAKERS, text }]
        : bySpeaker(text, charStart, turns);
    for (const part of parts) {
      const last = spoken.at(-1);
      // The drawer boundary is inside a turn: its text continues.
      if (last !== undefined && last.speaker === part.speaker && part.head === undefined)
        last.text += part.text;
      else spoken.push({ speaker: part.speaker, text: part.text });
    }
    before = charEnd;
  }
  return spoken;
}

/** @param head present where the part begins with a mark */
function bySpeaker(text: string, from: number, turns: readonly TurnMark[]): (Spoken & { head?: string })[] {
  const inside = turns.filter(({ start }) => start >= from && start < from + text.length);
  const running = turns.findLast(({ start }) => start < from);
  const marks = inside.map((mark) => ({ ...mark, start: mark.start - from }));
  const first = text.slice(0, marks[0]?.start);
  const opening =
    first === ''
      ? []
      : // The mark before the slice is outside of it: whether a result was an error is unknown.
        [{ speaker: running && speakerOf(running, ''), text: first }];
  const rest = marks.map((mark, index) => {
    const head = headAt(text, mark) ?? '';
    const own = mark.role === 'call' || mark.role === 'note' ? '' : head;
    const end = marks[index + 1]?.start ?? text.length;
    return { speaker: speakerOf(mark, head), text: text.slice(mark.start + own.length, end), head };
  });
  return [...opening, ...rest];
}

/** The turns in a stretch of a filed text, as `<speaker>@<UTF-16 offset in the stretch>`: `assistant@120`. */
export function speakersIn(
  { text, charStart }: Omit<Slice, 'charEnd'>,
  turns: readonly TurnMark[],
): string[] {
  const spoken: string[] = [];
  let at = 0;
  for (const { speaker, text: part, head } of bySpeaker(text, charStart, turns)) {
    if (speaker !== undefined) spoken.push(`${speaker}@${at}`);
    at += part.length + (head === undefined || part.startsWith(head) ? 0 : head.length);
  }
  return spoken;
}

/** The generated lines above the words, by the beginnings of speakers. */
const HEADS = [
  [SPEAKERS.user, USER_HEAD],
  [SPEAKERS.assistant, ASSISTANT_HEAD],
  [`${SPEAKERS.result}: error`, resultHead(true)],
  [SPEAKERS.result, resultHead(false)],
] as const;

/**
 * A stretch by speaker, from what `speakersIn` says of it. Where its first words are like the line above a turn of their own
 * speaker, they are taken for it.
 */
export function spokenAs(text: string, speakers: readonly string[]): Spoken[] {
  const marks = speakers.map((each) => {
    const at = each.lastIndexOf('@');
    return { speaker: each.slice(0, at), start: Number(each.slice(at + 1)) };
  });
  const parts = marks.map(({ speaker, start }, index) => {
    const part = text.slice(start, marks[index + 1]?.start);
    const [, head = ''] = HEADS.find(([name]) => speaker.startsWith(name)) ?? [];
    return { speaker, text: part.startsWith(head) ? part.slice(head.length) : part };
  });
  const before = text.slice(0, marks[0]?.start);
  return before === '' ? parts : [{ speaker: undefined, text: before }, ...parts];
}
