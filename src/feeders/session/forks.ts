import { createHash } from 'node:crypto';
import { sha256 } from '../../core/hash.js';
import { blockKey } from './blocks.js';
import { type Message, Notes, readMessages } from './messages.js';
import { explainFailure } from './open.js';
import type { Change, History } from './rows.js';
import type { SessionRow } from './schema.js';

/** A session in the history that holds its newest copy. */
export interface KnownSession {
  row: SessionRow;
  history: History;
  change: Change;
}

/** A session that may have copied history: it has messages older than itself. */
export interface Fork {
  session: KnownSession;
  /** Earlier sessions with messages of the same times, oldest first. */
  originals: KnownSession[];
  /** The times they share, in epoch milliseconds. */
  times: Set<number>;
}

/**
 * How far a session's text may be relied on to be in the palace: `chosen` (this run files it as it is now),
 * or filed, as it was at `filedMs`.
 */
export type Standing = { chosen: true } | { chosen: false; filedMs: number };

export interface ForkDecision {
  /** How many messages at the start others hold; they are left out. */
  covered: number;
  /** Ids of the sessions that hold them. */
  holders: string[];
  /** The fork has nothing else. */
  contained: boolean;
}

export const NOT_A_FORK: ForkDecision = { covered: 0, holders: [], contained: false };

/** Earlier by when it was begun, then by id. */
export function compareAge({ row: a }: KnownSession, { row: b }: KnownSession): number {
  return a.time_created - b.time_created || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/**
 * Finds the forks, which opencode does not mark: history is copied under new ids with the times of the
 * original messages, so a fork has messages older than itself. One query per history, without reading any
 * text.
 */
export function findForks(sessions: ReadonlyMap<string, KnownSession>): Map<string, Fork> {
  const candidates = new Map<KnownSession, Set<number>>();
  for (const session of sessions.values()) {
    const { row, change, history } = session;
    if (change.firstMs === undefined || change.firstMs >= row.time_created) continue;
    candidates.set(session, new Set(history.messageTimes(row.id, row.time_created)));
  }
  const wanted = [...new Set([...candidates.values()].flatMap((times) => [...times]))];
  const byTime = new Map(wanted.map((time) => [time, new Set<KnownSession>()]));
  const histories = wanted.length === 0 ? [] : [...sessions.values()].map(({ history }) => history);
  for (const history of new Set(histories)) {
    for (const { session_id, time_created } of history.sessionsAt(wanted)) {
      const session = sessions.get(session_id);
      if (session?.history === history) byTime.get(time_created)?.add(session);
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
 * What a fork's decision depends on besides its own rows: whether each original stands, and in which state.
 * While this stays, the decision does.
 */
export function forkSignature(fork: Fork, standingOf: (id: string) => Standing | undefined): string {
  const parts = fork.originals.map(({ row, change }) => {
    const standing = standingOf(row.id);
    if (standing === undefined) return `${row.id} no`;
    const state = [change.changedMs, change.messages, change.parts, change.stamp, row.revert ?? ''].join(' ');
    const current = standing.chosen || standing.filedMs >= change.changedMs;
    return `${row.id} ${current ? 'yes' : `as of ${standing.filedMs}`} ${state}`;
  });
  return sha256(parts.join('\n'));
}

interface HeldMessage {
  id: string;
  /** Its place among the messages that say something. */
  place: number;
}

/** Compares forks with their originals; what it has read of an original serves the next fork. */
export class ForkJudge {
  /** By original, then by message key. */
  readonly #held = new Map<string, Map<string, HeldMessage>>();
  /** How many messages at its own start a fork leaves to others. */
  readonly #covered = new Map<string, number>();
  readonly #times = new Set<number>();

  /** @param forks all that may be asked about */
  constructor(forks: Iterable<Fork>) {
    for (const fork of forks) for (const time of fork.times) this.#times.add(time);
  }

  /**
   * Which messages at a fork's start are left out: those that an earlier session holds in its own
   * transcript (same role, same time, same content), as far as they follow on one another. Forks must be
   * judged oldest first, so that a fork of a fork knows what its original leaves out.
   */
  judge(fork: Fork, standingOf: (id: string) => Standing | undefined): ForkDecision {
    const { row, history } = fork.session;
    const holders = new Set<string>();
    const notes = new Notes();
    let covered = 0;
    let own = false;
    for (const message of readMessages(history, row, notes)) {
      const holder =
        message.timeMs < row.time_created ? this.#holderOf(message, fork, standingOf) : undefined;
      if (holder === undefined) {
        own = true;
        break;
      }
      holders.add(holder);
      covered += 1;
    }
    this.#covered.set(row.id, covered);
    // Rows that do not parse, or are of a later form, may hide words of its own.
    const contained = covered > 0 && !own && notes.unparsed.length === 0 && notes.untold === 0;
    return { covered, holders: [...holders], contained };
  }

  /** The decision of an earlier run still holds. */
  remember(fork: Fork, covered: number): void {
    this.#covered.set(fork.session.row.id, covered);
  }

  #holderOf(
    message: Message,
    fork: Fork,
    standingOf: (id: string) => Standing | undefined,
  ): string | undefined {
    let key: string | undefined;
    for (const original of fork.originals) {
      const standing = standingOf(original.row.id);
      if (standing === undefined) continue;
      key ??= messageKey(message);
      const held = this.#keysOf(original).get(key);
      if (held === undefined || held.place < (this.#covered.get(original.row.id) ?? 0)) continue;
      if (standing.chosen || standing.filedMs >= original.change.changedMs) return original.row.id;
      // Filed, and the session has changed since: what has not changed with it is in what was filed.
      if (original.history.messageChangedMs(held.id) <= standing.filedMs) return original.row.id;
    }
    return undefined;
  }

  /** None of an original that cannot be read: then its forks keep their copies. */
  #keysOf(original: KnownSession): Map<string, HeldMessage> {
    const { row, history } = original;
    const known = this.#held.get(row.id);
    if (known !== undefined) return known;
    const last = Math.max(...this.#times);
    const keys = new Map<string, HeldMessage>();
    this.#held.set(row.id, keys);
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
    return keys;
  }
}

function messageKey(message: Message): string {
  const hash = createHash('sha256').update(`${message.role} ${message.timeMs}`);
  for (const block of message.blocks) hash.update(`\n${blockKey(block)}`);
  return hash.digest('hex');
}
