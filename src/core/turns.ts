/**
 * Marks for the parts of a filed transcript. The text alone does not identify the speaker: a message may contain a line
 * such as `User:`.
 */

/** `call` and `result` belong to tools; `note` has no speaker: the session's header, a summary. */
export const TURN_ROLES = ['user', 'assistant', 'call', 'result', 'note'] as const;
export type TurnRole = (typeof TURN_ROLES)[number];

export interface TurnMark {
  role: TurnRole;
  /** Offset of the transcriber's line above the words, in UTF-16 units of the whole text. */
  start: number;
  /** Id of its message, if the program names one. Absent for turns that an earlier version filed. */
  message?: string | undefined;
  /** The turn was filed, but the source no longer contains it. */
  gone?: true | undefined;
}

/** The transcriber's lines above a message; they are not part of its words. */
export const USER_HEAD = 'User:\n';
export const ASSISTANT_HEAD = 'Assistant:\n';
const RESULT_HEADS = ['[result]\n', '[result: error]\n'] as const;
export const resultHead = (error: boolean): string => RESULT_HEADS[error ? 1 : 0];

/** The possible text at a mark. For a call and a note, it is only the beginning of the transcriber's line. */
const HEADS: Record<TurnRole, readonly string[]> = {
  user: [USER_HEAD],
  assistant: [ASSISTANT_HEAD],
  call: ['[tool '],
  result: RESULT_HEADS,
  note: [''],
};

/** The transcriber's line at a mark; undefined when the mark does not belong to this text. */
export function headAt(text: string, { role, start }: Pick<TurnMark, 'role' | 'start'>): string | undefined {
  return start > text.length ? undefined : HEADS[role].find((head) => text.startsWith(head, start));
}

/** Whether the marks fit the text: ascending, each at a line of the transcriber. */
export function areTurnsOf(text: string, turns: readonly TurnMark[]): boolean {
  return turns.every(
    (turn, index) =>
      turn.start > (turns[index - 1]?.start ?? -1) &&
      (turn.start === 0 || text.endsWith('\n', turn.start)) &&
      headAt(text, turn) !== undefined,
  );
}

/** The transcriber's lines, in texts that were filed before their positions were stored. */
const GUESSED = /(?<=^|\n\n)(?:User:\n|Assistant:\n|\[result(?:: error)?\]\n|\[tool [^\]\n]*\])/g;

/** The marks of a text without recorded ones. A message that contains a line such as `User:` gives a wrong one. */
export function guessedTurns(text: string): TurnMark[] {
  const roles = Object.entries(HEADS) as [TurnRole, readonly string[]][];
  return Array.from(text.matchAll(GUESSED), ({ 0: head, index: start }) => {
    const role = roles.find(
      ([name, heads]) => name !== 'note' && heads.some((each) => head.startsWith(each)),
    );
    return { role: role?.[0] ?? 'note', start };
  });
}

/** Number of messages in these turns; a turn without an id counts as one. */
export function countMessages(turns: readonly TurnMark[]): number {
  const ids = new Set(turns.flatMap(({ message }) => message ?? []));
  return ids.size + turns.filter(({ message }) => message === undefined).length;
}
