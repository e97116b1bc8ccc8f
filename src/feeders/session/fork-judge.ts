import { createHash } from 'node:crypto';
import { blockKey } from './blocks.js';
import type { FiledUntil, Fork, ForkDecision, KnownSession } from './forks.js';
import { type Message, Notes, readMessages } from './messages.js';
import { explainFailure } from './open.js';

/** What was read of an original: its messages with content, in order. */
interface Original {
  ids: string[];
  /** Empty for a message that no fork can contain. */
  keys: string[];
  /** Indexes of the messages that forks may contain, by time and key. */
  places: Map<string, number>;
}

/** Where to look for the next message in a named original, which a fork contains up to a boundary. */
interface Cursor {
  session: KnownSession;
  next: number;
  end: number;
}

/** Compares forks with their originals, and caches what it reads of an original. */
export class ForkJudge {
  readonly #originals = new Map<KnownSession, Original>();
  /** Number of left-out messages at the start, by fork. */
  readonly #covered = new Map<string, number>();
  readonly #times = new Set<number>();
  /** Originals that forks name: their copies may have other times. */
  readonly #named = new Set<KnownSession>();

  /** @param forks all forks that may be judged */
  constructor(forks: Iterable<Fork>) {
    for (const { times, lineage } of forks) {
      for (const time of times) this.#times.add(time);
      for (const session of lineage) this.#named.add(session);
    }
  }

  /**
   * Decides how many messages at a fork's start are left out: all up to the first that no older transcript contains, with
   * the same role, time and content; in a named original, in the same order, whatever the time. Forks must be judged oldest
   * first, because an original may be a fork itself.
   */
  judge(fork: Fork, filedUntil: FiledUntil): ForkDecision {
    const { row, history } = fork.session;
    const holders = new Set<string>();
    const notes = new Notes();
    let covered = 0;
    let own = false;
    const lineage = this.#lineageOf(fork);
    for (const message of readMessages(history, row, notes)) {
      const isOlder = message.timeMs < row.time_created;
      const key = isOlder || lineage.length > 0 ? contentKey(message) : '';
      const holder =
        this.#holderIn(lineage, key, filedUntil) ??
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

  #holderOf(key: string, { originals }: Fork, filedUntil: FiledUntil): string | undefined {
    const filed = originals.filter(({ row }) => filedUntil.has(row.id));
    return filed.find((original) => {
      const place = this.#read(original).places.get(key);
      return place !== undefined && this.#holds(original, place, filedUntil);
    })?.row.id;
  }

  /** The named original that contains the message after those that were found before. */
  #holderIn(lineage: readonly Cursor[], key: string, filedUntil: FiledUntil): string | undefined {
    let holder: string | undefined;
    for (const cursor of lineage) {
      const { session, next, end } = cursor;
      const place = this.#read(session).keys.indexOf(key, next);
      if (place < 0 || place >= end) continue;
      cursor.next = place + 1;
      if (this.#holds(session, place, filedUntil)) holder ??= session.row.id;
    }
    return holder;
  }

  /** Whether the palace contains a message as one of this session: not as a copy, and not changed since it was filed. */
  #holds(session: KnownSession, place: number, filedUntil: FiledUntil): boolean {
    const { row, history, change } = session;
    const until = filedUntil.get(row.id);
    if (until === undefined || place < (this.#covered.get(row.id) ?? 0)) return false;
    return (
      until >= change.changedMs || history.messageChangedMs(this.#read(session).ids[place] ?? '') <= until
    );
  }

  #lineageOf({ session: fork, lineage }: Fork): Cursor[] {
    return lineage.map((session, index) => {
      const { ids } = this.#read(session);
      const boundary = index === 0 ? ids.indexOf(fork.row.fork_boundary ?? '') : -1;
      return { session, next: 0, end: boundary < 0 ? ids.length : boundary + 1 };
    });
  }

  /** Empty for an unreadable original: its forks then keep their copies. */
  #read(original: KnownSession): Original {
    const known = this.#originals.get(original);
    if (known !== undefined) return known;
    const { row, history } = original;
    const isNamed = this.#named.has(original);
    const last = isNamed ? Number.POSITIVE_INFINITY : Math.max(...this.#times);
    let read: Original = { ids: [], keys: [], places: new Map() };
    try {
      for (const message of readMessages(history, row, new Notes())) {
        if (message.timeMs > last) break;
        const isShared = this.#times.has(message.timeMs);
        const key = isNamed || isShared ? contentKey(message) : '';
        if (isShared) read.places.set(atTime(message, key), read.ids.length);
        read.ids.push(message.id);
        read.keys.push(key);
      }
    } catch (error) {
      explainFailure(error, history.path);
      read = { ids: [], keys: [], places: new Map() };
    }
    this.#originals.set(original, read);
    return read;
  }
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
