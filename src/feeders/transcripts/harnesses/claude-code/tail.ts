import type { JsonLine } from '../../../../platform/jsonl.js';

export interface TailLine extends JsonLine {
  text: string;
}

/** The records that say or do something. */
const TURN = /"type": ?"(?:user|assistant|system)"|"queued_command"|"queue-operation"/;
const SUMMARY = '"isCompactSummary":true';
/** Calls that may give the list of open items, and that may change one; those of other tools do no harm. */
const LIST_CALL = /"name": ?"\w*(?:todo|plan)/i;
const ITEM_CALL = /"name": ?"\w*task/i;
const CALL_ID = /"id": ?"([^"\\]+)"/g;
const RESULT_ID = /"tool_use_id": ?"([^"\\]+)"/g;
const NEEDED = /"is_error": ?true|"type": ?"text"/;
/** UTF-16 units; parsing a shorter line takes no time. */
const LONG = 2_000;
/** Number of older requests that are read. Few of them are told, and some are messages of programs. */
const RECENT = 20;
/** The last lines say when the session ended, and whether it broke off. */
const ENDING = 20;

/**
 * The lines that say where a session stands, since parsing takes most of a hook's time. A line is judged by its text: what JSON
 * quotes has its quotes escaped, so that a key is a key.
 *
 * Files and errors are told from the compaction before the last one on. Of what precedes it, requests and the list of open
 * items count; the results of other calls and answers do not.
 */
export function tailLines(lines: readonly TailLine[]): TailLine[] {
  const turns = lines.filter(({ text }) => TURN.test(text));
  const start = compactionBefore(turns);
  const older = turns.slice(0, start);
  // A list replaces the one before it.
  const [requests, lists] = [firstOfRecent(older, isRequest), firstOfRecent(older, isList)];
  const isTodoCall = (text: string, index: number) => (isList(text) ? index >= lists : isItem(text));
  const todoCalls = new Set(
    turns.flatMap(({ text }, index) => (isTodoCall(text, index) ? idsIn(text, CALL_ID) : [])),
  );
  return turns.flatMap((line, index) => {
    const { text } = line;
    if (index >= turns.length - ENDING || isTodoCall(text, index)) return line;
    if (resultsIn(text).some((id) => todoCalls.has(id))) return line;
    if (index < start) return index >= requests && isRequest(text) ? line : [];
    return isAnswer(text) ? [] : shortened(line);
  });
}

const isCall = (text: string): boolean => text.includes('"tool_use"');
const isResult = (text: string): boolean => text.includes('"tool_result"');
const isList = (text: string): boolean => isCall(text) && LIST_CALL.test(text);
const isItem = (text: string): boolean => isCall(text) && ITEM_CALL.test(text);
const isByAssistant = (text: string): boolean => /"type": ?"assistant"/.test(text);
/** Words of the assistant, without a call. */
const isAnswer = (text: string): boolean => isByAssistant(text) && !isCall(text);
const isRequest = (text: string): boolean =>
  !isByAssistant(text) && !isResult(text) && !text.includes(SUMMARY);

/** The index of the compaction before the last one; one that directly follows another does not count. */
function compactionBefore(lines: readonly TailLine[]): number {
  let [last, before, isWorked] = [0, 0, false];
  for (const [index, { text }] of lines.entries()) {
    if (text.includes(SUMMARY)) {
      if (isWorked) before = last;
      [last, isWorked] = [index, false];
    } else if (isByAssistant(text) || isResult(text)) isWorked = true;
  }
  return before;
}

/** The index from which on there are at most `RECENT` of these lines. */
function firstOfRecent(lines: readonly TailLine[], isOne: (text: string) => boolean): number {
  const found = lines.flatMap(({ text }, index) => (isOne(text) ? index : []));
  return found.at(-RECENT) ?? 0;
}

/** Without the output of a successful call: most of a transcript, which says nothing of where the session stands. */
function shortened(line: TailLine): TailLine {
  const { text } = line;
  if (text.length < LONG || NEEDED.test(text)) return line;
  const [id, another] = resultsIn(text);
  if (id === undefined || another !== undefined) return line;
  const content = [{ type: 'tool_result', tool_use_id: id }];
  return { ...line, text: JSON.stringify({ type: 'user', message: { content } }) };
}

const resultsIn = (text: string): string[] => (isResult(text) ? idsIn(text, RESULT_ID) : []);
const idsIn = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, id = '']) => id);
