import { readLines } from '../../platform/jsonl.js';
import type { Entry } from './entry.js';
import type { ConversationFiles } from './harness.js';

/** What the reader of a log yields when its program can take messages back. */
export type Step =
  | Entry
  /** The message of this name begins here, whether or not turns follow. */
  | { kind: 'place'; name: string }
  | ({ kind: 'rewind'; at: string | undefined } & RewindTarget);

type RewindTarget =
  /** This message and all behind it are taken back; all messages when there is no such message. */
  | { from: string }
  /** All behind this message are taken back. */
  | { after: string }
  /** This many exchanges at the end are taken back. */
  | { exchanges: number };

/** Whether any line contains one of these texts. @throws the file system's error */
export async function mentions(
  { files }: Pick<ConversationFiles, 'files'>,
  texts: readonly string[],
): Promise<boolean> {
  for (const { path } of files)
    for await (const { text } of readLines(path))
      if (text !== undefined && texts.some((each) => text.includes(each))) return true;
  return false;
}

/**
 * The entries of a log. Turns that were taken back are kept, since they were said; they are synthetic, so that they
 * neither count as messages nor name the session, and a line behind them says what happened.
 *
 * @param read reads the log from the beginning; called twice when `mayRewind`
 * @param mayRewind whether the log may contain rewinds; false spares one pass
 */
export async function* withRewinds(
  read: () => AsyncIterable<Step>,
  mayRewind: boolean,
): AsyncGenerator<Entry> {
  const { undone, marks } = mayRewind ? await takenBack(read()) : { undone: new Set<number>(), marks: [] };
  let turns = 0;
  let rewinds = 0;
  for await (const step of read()) {
    if (step.kind === 'place') continue;
    if (step.kind === 'rewind') {
      const since = marks[rewinds];
      rewinds += 1;
      if (since !== undefined) yield markOf(since, step.at);
    } else if (step.kind === 'turn') {
      yield undone.has(turns) ? { ...step, synthetic: true } : step;
      turns += 1;
    } else yield step;
  }
}

interface Standing {
  name: string | undefined;
  turn: number | undefined;
  spoken: boolean;
  at: string | undefined;
}

/** `marks` has the time of the first turn of each rewind, undefined for a rewind that took nothing back. */
async function takenBack(
  steps: AsyncIterable<Step>,
): Promise<{ undone: Set<number>; marks: ({ at: string | undefined } | undefined)[] }> {
  const undone = new Set<number>();
  const marks: ({ at: string | undefined } | undefined)[] = [];
  const standing: Standing[] = [];
  let turns = 0;
  for await (const step of steps) {
    if (step.kind === 'place') {
      standing.push({ name: step.name, turn: undefined, spoken: false, at: undefined });
    } else if (step.kind === 'turn') {
      standing.push({
        name: undefined,
        turn: turns,
        spoken: step.spoken && step.role === 'user',
        at: step.at,
      });
      turns += 1;
    } else if (step.kind === 'rewind') {
      const cut = standing.splice(cutOf(standing, step)).filter(({ turn }) => turn !== undefined);
      for (const { turn } of cut) if (turn !== undefined) undone.add(turn);
      marks.push(cut.length === 0 ? undefined : { at: cut[0]?.at });
    }
  }
  return { undone, marks };
}

function cutOf(standing: readonly Standing[], target: RewindTarget): number {
  if ('exchanges' in target) {
    let left = target.exchanges;
    let at = standing.length;
    while (left > 0 && at > 0) {
      at -= 1;
      if (standing[at]?.spoken === true) left -= 1;
    }
    return at;
  }
  const name = 'from' in target ? target.from : target.after;
  const place = standing.findLastIndex((each) => each.name === name);
  if ('from' in target) return Math.max(0, place);
  if (place < 0) return standing.length;
  const next = standing.findIndex((each, index) => index > place && each.name !== undefined);
  return next < 0 ? standing.length : next;
}

function markOf(since: { at: string | undefined }, at: string | undefined): Entry {
  const text = `[rewound: the messages ${since.at === undefined ? 'above' : `since ${since.at}`} were taken back]`;
  const parts = [{ kind: 'text' as const, text }];
  return {
    kind: 'turn',
    role: 'user',
    parts,
    id: undefined,
    at,
    spoken: false,
    synthetic: true,
    ignored: [],
  };
}
