import { sha256 } from '../../core/hash.js';
import type { Change, History, SessionHistory } from './history.js';
import type { SessionRow } from './schema.js';

/** A session with the row of its newest copy, and the messages of all copies. */
export interface KnownSession {
  row: SessionRow;
  history: History;
  change: Change;
  histories: readonly SessionHistory[];
}

/** A session that may be a copy: it contains messages older than itself, or names its original. */
export interface Fork {
  session: KnownSession;
  /** Older sessions with messages of the same times, and the lineage, oldest first. */
  originals: KnownSession[];
  /** opencode 2: the session that it names as its original, and that one's own original, and so on. */
  lineage: KnownSession[];
  /** The shared times, epoch milliseconds. */
  times: Set<number>;
}

/** By session id: the latest change that the palace contains after this run, epoch milliseconds; infinite if chosen. */
export type FiledUntil = ReadonlyMap<string, number>;

export interface ForkDecision {
  /** Number of messages at the start that other sessions contain; they are left out. */
  covered: number;
  /** Ids of the sessions that contain them. */
  holders: string[];
  /** The fork has no messages of its own. */
  contained: boolean;
}

export const NOT_A_FORK: ForkDecision = { covered: 0, holders: [], contained: false };

export function compareAge({ row: a }: KnownSession, { row: b }: KnownSession): number {
  return a.time_created - b.time_created || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/**
 * Finds forks. opencode 1.x does not mark them, but copies messages with new ids and their original times, so a fork
 * contains messages older than itself; opencode 2 names the original. One query per history, without reading text.
 *
 * @param onDamage is told what cannot be read: such a session is not a fork, such a database has no originals
 */
export function findForks(
  sessions: ReadonlyMap<string, KnownSession>,
  onDamage: (error: unknown, path: string) => void,
): Map<string, Fork> {
  const candidates = new Map<KnownSession, Set<number>>();
  for (const session of sessions.values()) {
    const { row, change, history } = session;
    const isOlder = change.firstMs !== undefined && change.firstMs < row.time_created;
    if (!isOlder && !sessions.has(row.fork_session_id ?? '')) continue;
    try {
      const times = history.messageList(row.id).map(({ timeMs = row.time_created }) => timeMs);
      candidates.set(session, new Set(times.filter((time) => time < row.time_created)));
    } catch (error) {
      onDamage(error, history.path);
    }
  }
  const wanted = [...new Set([...candidates.values()].flatMap((times) => [...times]))];
  const byTime = new Map(wanted.map((time) => [time, new Set<KnownSession>()]));
  const histories = wanted.length === 0 ? [] : [...sessions.values()].flatMap((session) => session.histories);
  for (const history of new Set(histories)) {
    try {
      for (const { session_id, time_created } of history.sessionsAt(wanted)) {
        const session = sessions.get(session_id);
        if (session?.histories.includes(history)) byTime.get(time_created)?.add(session);
      }
    } catch (error) {
      onDamage(error, history.path);
    }
  }
  const forks = new Map<string, Fork>();
  for (const [session, times] of candidates) {
    const lineage = lineageOf(session, sessions);
    const others = new Set([...lineage, ...[...times].flatMap((time) => [...(byTime.get(time) ?? [])])]);
    const originals = [...others].filter((other) => compareAge(other, session) < 0).sort(compareAge);
    if (originals.length > 0) forks.set(session.row.id, { session, originals, lineage, times });
  }
  return forks;
}

/** The named original of a session, and that one's, as far as each is older. */
function lineageOf(session: KnownSession, sessions: ReadonlyMap<string, KnownSession>): KnownSession[] {
  const lineage: KnownSession[] = [];
  let last = session;
  for (;;) {
    const next = sessions.get(last.row.fork_session_id ?? '');
    if (next === undefined || compareAge(next, last) >= 0) return lineage;
    lineage.push(next);
    last = next;
  }
}

/**
 * Groups each session with its sub-agents and its copies, transitively.
 *
 * @returns maps a session id to the id that represents its group
 */
export function findTrees(
  sessions: ReadonlyMap<string, KnownSession>,
  forks: ReadonlyMap<string, Fork>,
): (id: string) => string {
  const above = new Map<string, string>();
  const rootOf = (id: string): string => {
    const next = above.get(id);
    if (next === undefined) return id;
    const root = rootOf(next);
    above.set(id, root);
    return root;
  };
  const join = (one: string, other: string) => {
    const [from, to] = [rootOf(one), rootOf(other)];
    if (from !== to) above.set(from, to);
  };
  for (const [id, { row }] of sessions) {
    const parent = row.parent_id ?? '';
    if (sessions.has(parent)) join(id, parent);
    for (const { row: original } of forks.get(id)?.originals ?? []) join(id, original.id);
  }
  return rootOf;
}

/** Hash of everything outside a fork's own rows that its decision depends on: the state of each original. */
export function forkSignature(fork: Fork, filedUntil: FiledUntil): string {
  const parts = fork.originals.map(({ row, change }) => {
    const until = filedUntil.get(row.id);
    if (until === undefined) return `${row.id} no`;
    const state = [change.changedMs, change.messages, change.parts, change.stamp, row.revert ?? ''].join(' ');
    return `${row.id} ${until >= change.changedMs ? 'yes' : `as of ${until}`} ${state}`;
  });
  return sha256(parts.join('\n'));
}
