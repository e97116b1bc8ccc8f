import { createHash } from 'node:crypto';
import { blockKey } from './blocks.js';
import type { FiledUntil, Fork, ForkDecision, KnownSession } from './forks.js';
import { type Message, Notes, readMessages } from './messages.js';
import { explainFailure } from './open.js';

/** Compares forks with their originals, and caches what it reads of an original. */
export class ForkJudge {
  /** By original, then by message key. `place`: index among the messages with content. */
  readonly #messages = new Map<string, Map<string, { id: string; place: number }>>();
  /** By original: its messages in order, for forks that name it. */
  readonly #ordered = new Map<string, { id: string; key: string }[]>();
  /** Number of left-out messages at the start, by fork. */
  readonly #covered = new Map<string, number>();
  readonly #times = new Set<number>();

  /** @param forks all forks that may be judged */
  constructor(forks: Iterable<Fork>) {
    for (const fork of forks) for (const time of fork.times) this.#times.add(time);
  }

  /**
   * Decides how many messages at a fork's start are left out: all up to the first that no older transcript contains
   * (same role, time and content; in a named original, at the same place whatever the time). Forks must be judged oldest first, because an original may be a fork itself.
   */
  judge(fork: Fork, filedUntil: FiledUntil): ForkDecision {
    const { row, history } = fork.session;
    const holders = new Set<string>();
    const notes = new Notes();
    let covered = 0;
    let own = false;
    const places = new Map<KnownSession, number>();
    for (const message of readMessages(history, row, notes)) {
      const isOlder = message.timeMs < row.time_created;
      const key = isOlder || fork.lineage.length > 0 ? contentKey(message) : '';
      const holder =
        this.#holderIn(fork, key, places, filedUntil) ??
        (isOlder ? this.#holderOf(atTime(message, key), fork, filedUntil) : undefined);
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

  #holderOf(key: string, fork: Fork, filedUntil: FiledUntil): string | undefined {
    for (const original of fork.originals) {
      const until = filedUntil.get(original.row.id);
      if (until === undefined) continue;
      const found = this.#messagesOf(original).get(key);
      if (found === undefined || found.place < (this.#covered.get(original.row.id) ?? 0)) continue;
      if (isFiled(original, found.id, until)) return original.row.id;
    }
    return undefined;
  }

  /** The named original that contains the message after those that were found before. @param places where to go on */
  #holderIn(
    { session, lineage }: Fork,
    key: string,
    places: Map<KnownSession, number>,
    filedUntil: FiledUntil,
  ): string | undefined {
    let holder: string | undefined;
    for (const original of lineage) {
      const { id } = original.row;
      const ordered = this.#orderOf(original);
      const boundary = ordered.findIndex((each) => each.id === session.row.fork_boundary);
      const common = original === lineage[0] && boundary >= 0 ? ordered.slice(0, boundary + 1) : ordered;
      const place = common.findIndex(
        (each, index) => index >= (places.get(original) ?? 0) && each.key === key,
      );
      const found = common[place];
      if (found === undefined) continue;
      places.set(original, place + 1);
      const until = filedUntil.get(id);
      const isOwn = place >= (this.#covered.get(id) ?? 0);
      if (isOwn && until !== undefined && isFiled(original, found.id, until)) holder ??= id;
    }
    return holder;
  }

  /** Empty for an unreadable original. */
  #orderOf(original: KnownSession): { id: string; key: string }[] {
    const { row, history } = original;
    let ordered = this.#ordered.get(row.id);
    if (ordered === undefined) {
      try {
        const messages = readMessages(history, row, new Notes());
        ordered = Array.from(messages, (message) => ({ id: message.id, key: contentKey(message) }));
      } catch (error) {
        explainFailure(error, history.path);
        ordered = [];
      }
      this.#ordered.set(row.id, ordered);
    }
    return ordered;
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
        if (this.#times.has(message.timeMs))
          keys.set(atTime(message, contentKey(message)), { id: message.id, place });
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

/** Whether the palace contains a message of a session that may have changed since it was filed. */
function isFiled({ history, change }: KnownSession, messageId: string, until: number): boolean {
  return until >= change.changedMs || history.messageChangedMs(messageId) <= until;
}

function atTime({ timeMs }: Message, key: string): string {
  return `${timeMs} ${key}`;
}

/** Of role and content. */
function contentKey({ role, blocks }: Message): string {
  const hash = createHash('sha256').update(role);
  for (const block of blocks) hash.update(`\n${blockKey(block)}`);
  return hash.digest('hex');
}
