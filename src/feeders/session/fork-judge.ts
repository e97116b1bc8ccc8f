import { createHash } from 'node:crypto';
import { blockKey } from './blocks.js';
import type { FiledUntil, Fork, ForkDecision, KnownSession } from './forks.js';
import { type Message, Notes, readMessages } from './messages.js';
import { explainFailure } from './open.js';

/** The messages of a named original, in order. */
interface Original {
  session: KnownSession;
  ids: readonly string[];
  /** Of the messages that a fork may contain. */
  keys: readonly string[];
  /** Where to look for the next one. */
  next: number;
}

/** Compares forks with their originals, and caches what it reads of an original. */
export class ForkJudge {
  /** By original, then by message key. `place`: index among the messages with content. */
  readonly #messages = new Map<KnownSession, ReadonlyMap<string, { id: string; place: number }>>();
  /** By original: its messages in order, for forks that name it. */
  readonly #ordered = new Map<KnownSession, Pick<Original, 'ids' | 'keys'>>();
  /** Number of left-out messages at the start, by fork. */
  readonly #covered = new Map<string, number>();
  readonly #times = new Set<number>();

  /** @param forks all forks that may be judged */
  constructor(forks: Iterable<Fork>) {
    for (const fork of forks) for (const time of fork.times) this.#times.add(time);
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
      const found = this.#messagesOf(original).get(key);
      return found !== undefined && this.#holds(original, found, filedUntil);
    })?.row.id;
  }

  /** The named original that contains the message after those that were found before. */
  #holderIn(lineage: readonly Original[], key: string, filedUntil: FiledUntil): string | undefined {
    let holder: string | undefined;
    for (const original of lineage) {
      const { session, ids, keys } = original;
      const place = keys.indexOf(key, original.next);
      const id = ids[place];
      if (id === undefined) continue;
      original.next = place + 1;
      if (this.#holds(session, { id, place }, filedUntil)) holder ??= session.row.id;
    }
    return holder;
  }

  /** Whether the palace contains a message as one of this session: not as a copy, and not changed since it was filed. */
  #holds(
    { row, history, change }: KnownSession,
    { id, place }: { id: string; place: number },
    filedUntil: FiledUntil,
  ): boolean {
    const until = filedUntil.get(row.id);
    if (until === undefined || place < (this.#covered.get(row.id) ?? 0)) return false;
    return until >= change.changedMs || history.messageChangedMs(id) <= until;
  }

  #lineageOf({ session: fork, lineage }: Fork): Original[] {
    return lineage.map((session, index) => {
      const { ids, keys } = this.#orderOf(session);
      const boundary = index === 0 ? ids.indexOf(fork.row.fork_boundary ?? '') : -1;
      return { session, ids, keys: boundary < 0 ? keys : keys.slice(0, boundary + 1), next: 0 };
    });
  }

  #orderOf(original: KnownSession): Pick<Original, 'ids' | 'keys'> {
    let known = this.#ordered.get(original);
    if (known === undefined) {
      const read = messagesOf(original, (message) => [message.id, contentKey(message)] as const);
      known = { ids: read.map(([id]) => id), keys: read.map(([, key]) => key) };
      this.#ordered.set(original, known);
    }
    return known;
  }

  #messagesOf(original: KnownSession): ReadonlyMap<string, { id: string; place: number }> {
    let known = this.#messages.get(original);
    if (known === undefined) {
      const last = Math.max(...this.#times);
      const read = messagesOf(original, (message) => {
        if (message.timeMs > last) return undefined;
        return [
          this.#times.has(message.timeMs) ? atTime(message, contentKey(message)) : '',
          message.id,
        ] as const;
      });
      known = new Map(read.map(([key, id], place) => [key, { id, place }]));
      this.#messages.set(original, known);
    }
    return known;
  }
}

/**
 * What `take` makes of each message, up to the first for which it returns undefined. Nothing for an unreadable original: its
 * forks then keep their copies.
 */
function messagesOf<Taken>(
  { row, history }: KnownSession,
  take: (message: Message) => Taken | undefined,
): Taken[] {
  const all: Taken[] = [];
  try {
    for (const message of readMessages(history, row, new Notes())) {
      const taken = take(message);
      if (taken === undefined) break;
      all.push(taken);
    }
    return all;
  } catch (error) {
    explainFailure(error, history.path);
    return [];
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
