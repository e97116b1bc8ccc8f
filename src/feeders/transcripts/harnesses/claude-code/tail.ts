import type { JsonLine } from '../../../../platform/jsonl.js';

/** A line whose bytes are its characters (Latin-1): most lines are judged and never decoded. */
export interface TailLine extends JsonLine {
  text: string;
}

/** The records that say or do something. */
const TURN = /"type": ?"(?:user|assistant|system)"|"queued_command"|"queue-operation"/;
const BY_ASSISTANT = /"type": ?"assistant"/;
/** A compaction writes two records: its numbers of tokens, then its summary. */
const COMPACTION = /"isCompactSummary": ?true|"subtype": ?"compact_boundary"/;
const PROGRAMS_WORDS = '"isMeta":true';
/** Calls that may give the list of open items, and that may change one; those of other tools do no harm. */
const LIST_CALL = /"name": ?"\w*(?:todo|plan)/i;
const ITEM_CALL = /"name": ?"\w*task/i;
const CALL_ID = /"id": ?"([^"\\]+)"/g;
const RESULT_ID = /"tool_use_id": ?"([^"\\]+)"/g;
const FAILED = /"is_error": ?true/;
const WORDS = /"type": ?"text"/;
/** Tools that change no file; `Bash` may move or remove one, or apply a patch. */
const NAME = /"name": ?"([^"\\]*)"/g;
const READERS = new Set(['Bash', 'BashOutput', 'Glob', 'Grep', 'LS', 'Read', 'WebFetch', 'WebSearch']);
const CHANGES = /"command": ?"(?:[\s'"\\nt]|git)*(?:mv|rm)\b|apply_?patch/;
/** What a call concerns: its beginning is enough to compare. */
const SUBJECT = /"(?:command|(?:file_|notebook_)?path)": ?"((?:[^"\\]|\\.){0,1000})/;
const SPACES = /(?:\s|\\[nrt])+/g;
/** UTF-16 units; parsing a shorter line takes no time. */
const LONG = 2_000;
/** Number of requests that are read. Few of them are told, and some are messages of programs. */
const RECENT = 20;
/** The last lines say when the session ended, and whether it broke off. */
const ENDING = 20;

interface Judged {
  line: TailLine;
  kind: 'result' | 'call' | 'answer' | 'compaction' | 'other';
  /** Of its calls, or of the calls that it answers. */
  ids: string[];
  /** At least one of the results is an error. */
  failed: boolean;
}

/**
 * The lines that say where a session stands, since reading them all takes most of a hook's time. A line is judged by its
 * text: what JSON quotes has its quotes escaped, so that a key is a key.
 *
 * Files and errors are told from the compaction before the last one on. Of what precedes it, requests and the list of open
 * items count. Everywhere, answers, calls that change no file, and results of calls that succeeded do not count, except those
 * of a call that may have repeated one that failed.
 */
export function tailLines(lines: readonly TailLine[]): TailLine[] {
  const turns = lines.filter(({ text }) => TURN.test(text)).map(judged);
  const start = compactionBefore(turns);
  const requests = firstRequest(turns);
  const isTodoCall = todoCallsOf(turns);
  const todoIds = idsWhere(turns, isTodoCall);
  const failures = idsWhere(
    turns,
    ({ kind, failed }, index) => kind === 'result' && failed && index >= start,
  );
  const failed = new Set(
    turns.flatMap(({ kind, ids, line }) =>
      kind === 'call' && ids.some((id) => failures.has(id)) ? subjectOf(line.text) : [],
    ),
  );
  const mayRepeat = ({ kind, line }: Judged) =>
    kind === 'call' && failed.size > 0 && failed.has(subjectOf(line.text));
  const repeated = idsWhere(turns, (turn, index) => index >= start && mayRepeat(turn));
  return turns.flatMap((turn, index) => {
    const { line, kind, ids } = turn;
    if (index >= turns.length - ENDING || isTodoCall(turn, index)) return line;
    if (kind === 'other') return index >= requests ? line : [];
    if (kind === 'result' && ids.some((id) => todoIds.has(id))) return line;
    if (index < start) return [];
    if (kind === 'compaction') return line;
    if (kind === 'call') return changesFiles(line.text) || mayRepeat(turn) ? line : [];
    if (kind === 'answer') return [];
    if (turn.failed || WORDS.test(line.text)) return line;
    return ids.some((id) => repeated.has(id)) ? shortened(turn) : [];
  });
}

function judged(line: TailLine): Judged {
  const { text } = line;
  const of = (kind: Judged['kind'], ids: string[] = [], failed = false) => ({ line, kind, ids, failed });
  // Results are the longest lines, and say what they are at their beginning.
  if (text.includes('"tool_result"')) return of('result', idsIn(text, RESULT_ID), FAILED.test(text));
  if (BY_ASSISTANT.test(text))
    return text.includes('"tool_use"') ? of('call', idsIn(text, CALL_ID)) : of('answer');
  return of(COMPACTION.test(text) ? 'compaction' : 'other');
}

/** The index of the compaction before the last one; one that directly follows another does not count. */
function compactionBefore(turns: readonly Judged[]): number {
  let [last, before, isWorked] = [0, 0, false];
  for (const [index, { kind }] of turns.entries()) {
    if (kind === 'compaction') {
      if (isWorked) before = last;
      [last, isWorked] = [index, false];
    } else if (kind !== 'other') isWorked = true;
  }
  return before;
}

/** The index from which on there are at most `RECENT` requests. */
function firstRequest(turns: readonly Judged[]): number {
  const requests = turns.flatMap(({ kind, line }, index) =>
    kind === 'other' && !line.text.includes(PROGRAMS_WORDS) ? index : [],
  );
  return requests.at(-RECENT) ?? 0;
}

/** Calls that single items come from, and those that may give the whole list: the last that succeeded, and later ones. */
function todoCallsOf(turns: readonly Judged[]): (turn: Judged, index: number) => boolean {
  const succeeded = idsWhere(turns, ({ kind, failed }) => kind === 'result' && !failed);
  const last = turns.findLastIndex(
    ({ kind, ids, line }) =>
      kind === 'call' && LIST_CALL.test(line.text) && ids.every((id) => succeeded.has(id)),
  );
  return ({ kind, line: { text } }, index) =>
    kind === 'call' && (ITEM_CALL.test(text) || (index >= last && LIST_CALL.test(text)));
}

function idsWhere(turns: readonly Judged[], isOne: (turn: Judged, index: number) => boolean): Set<string> {
  return new Set(turns.flatMap((turn, index) => (isOne(turn, index) ? turn.ids : [])));
}

function changesFiles(text: string): boolean {
  const names = Array.from(text.matchAll(NAME), ([, name = '']) => name);
  return names.length === 0 || !names.every((name) => READERS.has(name)) || CHANGES.test(text);
}

/** The command or file of a call, as the line quotes it; empty if it says none. */
function subjectOf(text: string): string {
  return (SUBJECT.exec(text)?.[1] ?? '').replace(SPACES, ' ').trim();
}

/** Without the output of a successful call: most of a transcript, which says nothing of where the session stands. */
function shortened({ line, ids: [id, another] }: Judged): TailLine {
  if (line.text.length < LONG || id === undefined || another !== undefined) return line;
  const content = [{ type: 'tool_result', tool_use_id: id }];
  return { ...line, text: JSON.stringify({ type: 'user', message: { content } }) };
}

function idsIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, id = '']) => id);
}
