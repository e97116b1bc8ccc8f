import { createHash } from 'node:crypto';
import { sha256 } from '../../core/hash.js';
import { blockKey } from './blocks.js';
import type { Change, History, SessionHistory } from './history.js';
import { type Message, Notes, readMessages } from './messages.js';
import { explainFailure } from './open.js';
import type { SessionRow } from './schema.js';

/** A session with the row of its newest copy, and the messages of all copies. */
export interface KnownSession {
  row: SessionRow;
  history: History;
  change: Change;
  /** The histories that contain it. */
  histories: readonly SessionHistory[];
}

/** A session that may be a copy: it contains messages older than itself. */
export interface Fork {
  session: KnownSession;
  /** Older sessions with messages of the same times, oldest first. */
  originals: KnownSession[];
  /** The shared times, epoch milliseconds. */
  times: Set<number>;
}

/** By session id: the latest change that the palace contains after this run, epoch milliseconds; infinite if chosen. */
type FiledUntil = ReadonlyMap<string, number>;

export interface ForkDecision {
  /** Number of messages at the start that other sessions contain; they are left out. */
  covered: number;
  /** Ids of the sessions that contain them. */
  holders: string[];
  /** The fork has no messages of its own. */
  contained: boolean;
}

export const NOT_A_FORK: ForkDecision = { covered: 0, holders: [], contained: false };

/** By start time, then by id. */
export function compareAge({ row: a }: KnownSession, { row: b }: KnownSession): number {
  return a.time_created - b.time_created || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/**
 * Finds forks. opencode does not mark them, but copies messages with new ids and their original times, so a fork contains
 * messages older than itself. One query per history, without reading text.
 */
export function findForks(sessions: ReadonlyMap<string, KnownSession>): Map<string, Fork> {
  const candidates = new Map<KnownSession, Set<number>>();
  for (const session of sessions.values()) {
    const { row, change, history } = session;
    if (change.firstMs === undefined || change.firstMs >= row.time_created) continue;
    const times = history.messageList(row.id).map(({ timeMs = row.time_created }) => timeMs);
    candidates.set(session, new Set(times.filter((time) => time < row.time_created)));
  }
  const wanted = [...new Set([...candidates.values()].flatMap((times) => [...times]))];
  const byTime = new Map(wanted.map((time) => [time, new Set<KnownSession>()]));
  const histories = wanted.length === 0 ? [] : [...sessions.values()].flatMap((session) => session.histories);
  for (const history of new Set(histories)) {
    for (const { session_id, time_created } of history.sessionsAt(wanted)) {
      const session = sessions.get(session_id);
      if (session?.histories.includes(history)) byTime.get(time_created)?.add(session);
    }
  }
  const forks = new Map<string, Fork>();
  for (const [session, times] of candidates) {
    const others = new Set([...times].flatMap((time) => [...(byTime.get(time) ?? [])]));
    const originals = [...others].filter((other) => compareAge(other, session) < 0).sort(compareAge);
    if (originals.length > 0) forks.set(session.row.id, { session, originals, times });
  }
  return forks;
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

/** Compares forks with their originals, and caches what it reads of an original. */
export class ForkJudge {
  /** By original, then by message key. `place`: index among the messages with content. */
  readonly #messages = new Map<string, Map<string, { id: string; place: number }>>();
  /** Number of left-out messages at the start, by fork. */
  readonly #covered = new Map<string, number>();
  readonly #times = new Set<number>();

  /** @param forks all forks that may be judged */
  constructor(forks: Iterable<Fork>) {
    for (const fork of forks) for (const time of fork.times) this.#times.add(time);
  }

  /**
   * Decides how many messages at a fork's start are left out: all up to the first that no older transcript contains
   * (same role, time and content). Forks must be judged oldest first, because an original may be a fork itself.
   */
  judge(fork: Fork, filedUntil: FiledUntil): ForkDecision {
    const { row, history } = fork.session;
    const holders = new Set<string>();
    const notes = new Notes();
    let covered = 0;
    let own = false;
    for (const message of readMessages(history, row, notes)) {
      const holder =
        message.timeMs < row.time_created ? this.#holderOf(message, fork, filedUntil) : undefined;
      if (holder === undefined) {
        own = true;
        break;
      }
      holders.add(holder);
      covered += 1;
    }
    this.#covered.set(row.id, covered);
    // Rows that are malformed or of an unknown form may be its own messages.
    const contained = covered > 0 && !own && notes.unparsed.length === 0 && notes.unrecognised === 0;
    return { covered, holders: [...holders], contained };
  }

  /** Uses the decision of an earlier run. */
  remember(fork: Fork, covered: number): void {
    this.#covered.set(fork.session.row.id, covered);
  }

  #holderOf(message: Message, fork: Fork, filedUntil: FiledUntil): string | undefined {
    let key: string | undefined;
    for (const original of fork.originals) {
      const until = filedUntil.get(original.row.id);
      if (until === undefined) continue;
      key ??= messageKey(message);
      const found = this.#messagesOf(original).get(key);
      if (found === undefined || found.place < (this.#covered.get(original.row.id) ?? 0)) continue;
      if (until >= original.change.changedMs) return original.row.id;
      // The session has changed since it was filed, but this message has not: it is in the palace.
      if (original.history.messageChangedMs(found.id) <= until) return original.row.id;
    }
    return undefined;
  }

  /** Empty for an unreadable original: its forks then keep their copies. */
  #messagesOf(original: KnownSession): ReadonlyMap<string, { id: string; place: number }> {
    const { row, history } = original;
    const known = this.#messages.get(row.id);
    if (known !== undefined) return known;
    const last = Math.max(...this.#times);
    const keys = new Map<string, { id: string; place: number }>();
    try {
      let place = 0;
      for (const message of readMessages(history, row, new Notes())) {
        if (message.timeMs > last) break;
        if (this.#times.has(message.timeMs)) keys.set(messageKey(message), { id: message.id, place });
        place += 1;
      }
    } catch (error) {
      explainFailure(error, history.path);
      keys.clear();
    }
    this.#messages.set(row.id, keys);
    return keys;
  }
}

function messageKey(message: Message): string {
  const hash = createHash('sha256').update(`${message.role} ${message.timeMs}`);
  for (const block of message.blocks) hash.update(`\n${blockKey(block)}`);
  return hash.digest('hex');
}
