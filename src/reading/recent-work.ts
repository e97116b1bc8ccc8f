import { type Outcome, outcomeOf, type SaidCall } from '../activity/index.js';
import { groupBy } from '../core/group-by.js';
import { resultHead, type TurnMark } from '../core/turns.js';
import type { Palace, RecentSession } from '../store/index.js';
import { shownPath } from './by-file.js';

/** Files of a session that are named. */
const FILES = 8;
const FAILED = resultHead(true);

interface WorkedSession extends RecentSession, Outcome {
  /** That it changed, as its folder names them; the first ones. */
  files: { path: string; action: string }[];
  filesTotal: number;
}

/** What sessions did lately, newest first: the files that each changed, its commits, and its open items. */
export function recentWork(
  palace: Pick<Palace, 'work' | 'sources'>,
  asked: Parameters<Palace['work']['sessions']>[0],
  page: Parameters<Palace['work']['sessions']>[1],
): { sessions: WorkedSession[]; total: number } {
  const { rows, total } = palace.work.sessions(asked, page);
  const ids = rows.map(({ id }) => id);
  const files = groupBy(palace.work.files(ids, FILES), ({ id }) => id);
  const pieces = groupBy(palace.work.calls(ids), ({ id }) => id);
  const sessions = rows.map((session) => {
    const changed = files.get(session.id) ?? [];
    const found = pieces.get(session.id) ?? [];
    return {
      ...session,
      ...outcomeOf(found.length === 0 ? [] : callsIn(found, palace.sources.turnsOf(session.id) ?? [])),
      files: changed.map(({ path, action }) => ({ path: shownPath(path, session), action })),
      filesTotal: changed[0]?.total ?? 0,
    };
  });
  return { sessions, total };
}

/** The calls that begin in these pieces of a text, each with what it returned, as far as the pieces contain it. */
function* callsIn(
  pieces: readonly { start: number; text: string }[],
  turns: readonly TurnMark[],
): Generator<SaidCall> {
  const textOf = textsIn(pieces);
  for (const [index, { role, start }] of turns.entries()) {
    if (role !== 'call') continue;
    const [next, after] = [turns[index + 1], turns[index + 2]];
    const call = textOf(start, next?.start);
    if (call === '') continue;
    const result = next?.role === 'result' ? textOf(next.start, after?.start) : '';
    yield { call, result: result.slice(result.indexOf('\n') + 1), failed: result.startsWith(FAILED) };
  }
}

/** Reads between two offsets of a text of which there are pieces, until one is missing. To be asked in order. */
function textsIn(pieces: readonly { start: number; text: string }[]) {
  let first = 0;
  return (start: number, end = Number.POSITIVE_INFINITY): string => {
    const endOf = (at: number): number => (pieces[at]?.start ?? Number.NaN) + (pieces[at]?.text.length ?? 0);
    while (endOf(first) <= start) first += 1;
    let text = '';
    for (let [at, from] = [first, start]; from < end; at += 1) {
      const piece = pieces[at];
      if (piece === undefined || piece.start > from) break;
      text += piece.text.slice(from - piece.start, end - piece.start);
      from = endOf(at);
    }
    return text;
  };
}
