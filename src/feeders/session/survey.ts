import type { Skipped } from '../../core/contract.js';
import { groupBy } from '../../core/group-by.js';
import { shortTitle } from '../../core/short-names.js';
import { validateWing } from '../../core/wing.js';
import { placeOf } from '../staging/in-project.js';
import { ReadAhead, readStaged } from '../staging/read-staged.js';
import { titleOf } from '../staging/slug.js';
import { DEFAULT_WING } from '../staging/wings.js';
import { type Chosen, chooseSessions, newestFirst } from './choose.js';
import { type Collected, closeAll, collectSessions, databaseProblem, sessionProblem } from './collect.js';
import { madeBy, rowsSignature, type Staged, stagedSession } from './fingerprint.js';
import { ForkJudge } from './fork-judge.js';
import {
  compareAge,
  type Fork,
  type ForkDecision,
  findForks,
  findTrees,
  forkSignature,
  type KnownSession,
  NOT_A_FORK,
} from './forks.js';
import { countMessages, workingFolder } from './messages.js';
import {
  CONTAINED,
  originOf,
  type SessionOptions,
  sessionIdOf,
  sourceKeyOf,
  type WorkItem,
} from './options.js';
import { containedFacts } from './transcript-of.js';

/**
 * Decides for every session whether this run files it, and why not. Nothing is written, and messages of unchanged
 * sessions are not read.
 *
 * @throws UserError when no database can be read, no requested session exists, or the wing's name is invalid
 */
export async function surveySessions(options: SessionOptions): Promise<SessionSurvey> {
  if (options.wing !== undefined) validateWing(options.wing);
  const collected = collectSessions(options.databases);
  try {
    return new SessionSurvey(collected, options);
  } catch (error) {
    closeAll(collected.histories);
    throw error;
  }
}

/** What is to be staged. The read transactions stay open, so that `stageSessions` stages the surveyed state. */
export class SessionSurvey {
  /** Chosen sessions and contained forks, oldest first. */
  readonly items: WorkItem[] = [];
  readonly skipped: Skipped[];
  /** Filed forks that other sessions now contain completely. */
  readonly contained: ({ wing: string } & ReturnType<typeof containedFacts>)[] = [];
  readonly manifests = new ReadAhead();
  readonly #histories: Collected['histories'];
  readonly #sessions: ReadonlyMap<string, KnownSession>;
  readonly #version: string;
  readonly #staged: Map<string, Staged[]>;
  readonly #rows = new Map<string, string>();
  readonly #forks: Map<string, Fork>;
  readonly #judge: ForkJudge;
  readonly #treeOf: (id: string) => string;
  readonly #chosen: ReadonlySet<string>;
  #filedTrees: Map<string, KnownSession[]> | undefined;
  /** By id: the latest change that the palace contains after this run, epoch milliseconds; infinite if chosen. */
  readonly #filedUntil = new Map<string, number>();

  constructor(
    { sessions, histories, problems }: Collected,
    private readonly options: SessionOptions,
  ) {
    this.#histories = histories;
    this.#sessions = sessions;
    this.#version = madeBy(options.sanitiser.version);
    this.#staged = readStaged(options.cache, stagedSession, this.manifests);
    this.#forks = findForks(sessions, (error, path) => problems.push(databaseProblem(error, path)));
    this.#judge = new ForkJudge(this.#forks.values());
    this.#treeOf = findTrees(sessions, this.#forks);
    for (const { sessionId, mtimeMs } of options.filed.values())
      if (sessionId !== null) this.#filedUntil.set(sessionId, mtimeMs);
    // Messages that a fork copied from a forgotten session are forgotten too, so forgotten sessions count as chosen.
    for (const id of sessions.keys())
      if (this.#isForgotten(id)) this.#filedUntil.set(id, Number.POSITIVE_INFINITY);
    const { chosen, skipped } = this.#choose();
    this.skipped = [...problems, ...skipped];
    this.#chosen = new Set(chosen.map(({ session }) => session.row.id));
    for (const choice of [...chosen].sort((a, b) => compareAge(a.session, b.session))) this.#add(choice);
  }

  #add(choice: Chosen): void {
    const { row } = choice.session;
    try {
      const item = this.#item(choice);
      this.items.push(item);
      const { sourceKey, decision, title } = item;
      if (!decision.contained) return;
      this.skipped.push({ origin: originOf(row.id), reason: CONTAINED, detail: shortTitle(title) });
      const filed = this.options.filed.get(sourceKey);
      if (filed !== undefined) this.contained.push({ wing: filed.wing, ...containedFacts(item) });
    } catch (error) {
      this.skipped.push(sessionProblem(error, choice.session));
    }
    this.#filedUntil.delete(row.id);
  }

  /** The sessions that this run files, latest change first. */
  sessions(): WorkItem[] {
    return this.items
      .filter(({ decision }) => !decision.contained)
      .sort((a, b) => newestFirst(a.session, b.session));
  }

  close(): void {
    closeAll(this.#histories);
  }

  wingsOf(sourceKey: string): string[] {
    return (this.#staged.get(sourceKey) ?? []).map(({ wing }) => wing);
  }

  #choose(): ReturnType<typeof chooseSessions> {
    const knownCount = (session: KnownSession) => this.#madeOf(session)?.messages;
    const choose = (overdue?: ReadonlySet<string>) => {
      const choice = chooseSessions(this.#sessions, this.options, knownCount, overdue);
      for (const { session } of choice.chosen) this.#filedUntil.set(session.row.id, Number.POSITIVE_INFINITY);
      return choice;
    };
    const choice = choose();
    const overdue = this.options.since === undefined ? new Set<string>() : this.#overdueForks();
    return overdue.size === 0 ? choice : choose(overdue);
  }

  /**
   * Filed forks whose original was added or changed after their transcription. Otherwise their common messages would stay
   * filed twice until the fork changes.
   */
  #overdueForks(): Set<string> {
    const overdue = new Set<string>();
    for (const [id, fork] of this.#forks) {
      if (!Number.isFinite(this.#filedUntil.get(id))) continue;
      const signature = forkSignature(fork, this.#filedUntil);
      if (this.#madeOf(fork.session)?.fork !== signature) overdue.add(id);
    }
    return overdue;
  }

  #item({ session, messages }: Chosen): WorkItem {
    const { row, history } = session;
    const sourceKey = sourceKeyOf(row.id);
    const fork = this.#forks.get(row.id);
    const named = row.directory ?? '';
    const directory = named === '' || named === '/' ? (workingFolder(history, row) ?? named) : named;
    const signature = fork === undefined ? '-' : forkSignature(fork, this.#filedUntil);
    const judged = fork === undefined ? NOT_A_FORK : this.#decide(fork, signature);
    const decision = this.#withoutForgotten(sourceKey, fork, judged);
    return {
      session,
      sourceKey,
      title: titleOf(row.title),
      wing: this.#wingOf(sourceKey),
      directory,
      room: placeOf(directory).room,
      parentTitle: this.#parentTitle(session),
      messages,
      status: this.#statusOf(session, decision),
      rows: this.#rowsOf(session),
      forkSignature: signature,
      decision,
      tree: this.#treeOf(row.id),
    };
  }

  /** Filed sessions of a tree that were not chosen. Secrets found in the others must be removed from them too. */
  relativesOf(tree: string): WorkItem[] {
    this.#filedTrees ??= this.#filedByTree();
    const relatives = (this.#filedTrees.get(tree) ?? []).filter(({ row }) => !this.#chosen.has(row.id));
    return relatives.sort(compareAge).flatMap((session) => {
      try {
        const messages =
          this.#madeOf(session)?.messages ?? countMessages(session.history, session.row).messages;
        const item = this.#item({ session, messages });
        // It stays in its wing.
        const wing = this.options.filed.get(item.sourceKey)?.wing ?? item.wing;
        return item.decision.contained ? [] : [{ ...item, wing }];
      } catch (error) {
        // Its filed version stays.
        sessionProblem(error, session);
        return [];
      }
    });
  }

  #filedByTree(): Map<string, KnownSession[]> {
    const filed = [...this.options.filed.values()].flatMap(({ sessionId: id, sourceKey }) =>
      id === null || sourceKey !== sourceKeyOf(id) || this.#isForgotten(id)
        ? []
        : (this.#sessions.get(id) ?? []),
    );
    return groupBy(filed, ({ row }) => this.#treeOf(row.id));
  }

  /**
   * For a fork of a forgotten session that opencode no longer contains either. Only the record of an earlier run shows
   * which of its messages are copies.
   */
  #withoutForgotten(sourceKey: string, fork: Fork | undefined, decision: ForkDecision): ForkDecision {
    for (const { covered, standsIn } of this.#staged.get(sourceKey) ?? []) {
      const ids = standsIn.map(sessionIdOf);
      const gone = ids.some((id) => this.#isForgotten(id) && !this.#sessions.has(id));
      if (!gone || covered <= decision.covered) continue;
      if (fork !== undefined) this.#judge.remember(fork, covered);
      return { covered, holders: [...new Set([...decision.holders, ...ids])], contained: false };
    }
    return decision;
  }

  #isForgotten(id: string): boolean {
    return this.options.forgotten?.has(sourceKeyOf(id)) === true;
  }

  /** An earlier decision stays valid until its inputs change. */
  #decide(fork: Fork, signature: string): ForkDecision {
    const made = this.#madeOf(fork.session);
    if (made?.fork !== signature || this.options.force) {
      return this.#judge.judge(fork, this.#filedUntil);
    }
    this.#judge.remember(fork, made.covered);
    return { covered: made.covered, holders: made.standsIn.map(sessionIdOf), contained: false };
  }

  /** The same item, or its new decision if originals of the fork (ids in `failed`) could not be staged. */
  decidedWithout(failed: ReadonlySet<string>, item: WorkItem): WorkItem {
    const fork = this.#forks.get(item.session.row.id);
    if (fork === undefined || !item.decision.holders.some((id) => failed.has(id))) return item;
    const filedUntil = new Map(this.#filedUntil);
    for (const id of failed) {
      const filed = this.options.filed.get(sourceKeyOf(id));
      if (filed === undefined) filedUntil.delete(id);
      else filedUntil.set(id, filed.mtimeMs);
    }
    return { ...item, decision: this.#judge.judge(fork, filedUntil), forkSignature: '-' };
  }

  #statusOf(session: KnownSession, decision: ForkDecision): WorkItem['status'] {
    const sourceKey = sourceKeyOf(session.row.id);
    const filed = this.options.filed.get(sourceKey);
    if (filed === undefined) return 'new';
    if (filed.mtimeMs !== session.change.changedMs) return 'grown';
    if (!this.#staged.has(sourceKey)) return 'unchanged';
    return this.#madeOf(session)?.covered === decision.covered ? 'unchanged' : 'grown';
  }

  /** The transcript that an earlier run made from exactly these rows. */
  #madeOf(session: KnownSession): Staged | undefined {
    const staged = this.#staged.get(sourceKeyOf(session.row.id));
    return staged?.find(({ rows }) => rows === this.#rowsOf(session));
  }

  #rowsOf(session: KnownSession): string {
    const { id } = session.row;
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const signature = rowsSignature(session, this.#parentTitle(session), this.#version);
    this.#rows.set(id, signature);
    return signature;
  }

  /** The id stands for the title of a deleted or forgotten parent. */
  #parentTitle({ row }: KnownSession): string | undefined {
    const parent = row.parent_id;
    if (parent === null || parent === undefined) return undefined;
    if (this.#isForgotten(parent)) return parent;
    return titleOf(this.#sessions.get(parent)?.row.title ?? parent);
  }

  #wingOf(sourceKey: string): string {
    const wing = this.options.wing ?? this.options.filed.get(sourceKey)?.wing ?? DEFAULT_WING;
    validateWing(wing);
    return wing;
  }
}
