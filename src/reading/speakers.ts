import { headAt, type TurnMark, type TurnRole } from '../core/turns.js';

/** How readers are told who speaks. */
const SPEAKERS: Record<TurnRole, string> = {
  user: 'user',
  assistant: 'assistant',
  call: 'tool call',
  result: 'tool result',
  note: 'note',
};

/** The heading of what begins at a mark, from the line of ours that stands there. */
export function speakerOf(role: TurnRole, head: string): string {
  return role === 'result' && head.includes('error') ? `${SPEAKERS.result}: error` : SPEAKERS[role];
}

/** A stretch of a filed text by one speaker, without the line of ours above it. */
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

/** What readers are told of a conversation that was filed before marks were kept. */
export const UNKNOWN_SPEAKERS = 'who speaks is not recorded: filed by an earlier version';

/**
 * Drawers as they stand in their source, by speaker. What lies between two that do not touch was left out there.
 *
 * @param turns of their source; undefined for a document, `unknown` for a conversation without marks
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
      // Of one speaker: a drawer ended within what he said.
      if (last !== undefined && last.speaker === part.speaker && part.head === undefined)
        last.text += part.text;
      else spoken.push({ speaker: part.speaker, text: part.text });
    }
    before = charEnd;
  }
  return spoken;
}

/** @param head present where the stretch begins with its mark */
function bySpeaker(text: string, from: number, turns: readonly TurnMark[]): (Spoken & { head?: string })[] {
  const inside = turns.filter(({ start }) => start >= from && start < from + text.length);
  const running = turns.findLast(({ start }) => start < from);
  const marks = inside.map(({ role, start }) => ({ role, start: start - from }));
  const first = text.slice(0, marks[0]?.start);
  const opening =
    first === ''
      ? []
      : // What a mark before the slice stood above is not here; of a result only its kind is told.
        [{ speaker: running && speakerOf(running.role, ''), text: first }];
  const rest = marks.map((mark, index) => {
    const head = headAt(text, mark) ?? '';
    const own = mark.role === 'call' || mark.role === 'note' ? '' : head;
    const end = marks[index + 1]?.start ?? text.length;
    return { speaker: speakerOf(mark.role, head), text: text.slice(mark.start + own.length, end), head };
  });
  return [...opening, ...rest];
}

/**
 * Who speaks from where on in a stretch of a filed text, as `<speaker>@<UTF-16 units in the stretch>`: `assistant@120`. The
 * first one began before the stretch, or begins it.
 */
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
