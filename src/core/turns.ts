/**
 * Where the parts of a filed transcript begin. The text of a transcript alone does not say this: whatever somebody said
 * may contain a line such as `User:`. Only these marks say who speaks.
 */

/** `call` and `result` are of a tool; `note` has no speaker: the session's header, a summary. */
export const TURN_ROLES = ['user', 'assistant', 'call', 'result', 'note'] as const;
export type TurnRole = (typeof TURN_ROLES)[number];

export interface TurnMark {
  role: TurnRole;
  /** Of the line that the transcriber wrote above the words; UTF-16 units in the whole text. */
  start: number;
}

/** The lines above what somebody says. They are ours and not part of the words. */
export const USER_HEAD = 'User:\n';
export const ASSISTANT_HEAD = 'Assistant:\n';
const RESULT_HEADS = ['[result]\n', '[result: error]\n'] as const;
export const resultHead = (error: boolean): string => RESULT_HEADS[error ? 1 : 0];

/** What may stand at the place of a mark; all of it is ours, but of a call and a note only the beginning. */
const HEADS: Record<TurnRole, readonly string[]> = {
  user: [USER_HEAD],
  assistant: [ASSISTANT_HEAD],
  call: ['[tool '],
  result: RESULT_HEADS,
  note: [''],
};

/** The line of ours at the place of a mark; undefined where the text has none there: the mark is not of this text. */
export function headAt(text: string, { role, start }: TurnMark): string | undefined {
  return start > text.length ? undefined : HEADS[role].find((head) => text.startsWith(head, start));
}

/** Whether these may be the marks of a text: ascending, each at a line that the transcriber wrote. */
export function areTurnsOf(text: string, turns: readonly TurnMark[]): boolean {
  return turns.every(
    (turn, index) =>
      turn.start > (turns[index - 1]?.start ?? -1) &&
      (turn.start === 0 || text.endsWith('\n', turn.start)) &&
      headAt(text, turn) !== undefined,
  );
}
