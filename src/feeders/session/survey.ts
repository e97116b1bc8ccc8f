import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { shortTitle } from '../../core/short-names.js';
import { roomOf, titleOf } from '../staging/slug.js';
import { type Chosen, chooseSessions } from './choose.js';
import { closeAll, collectSessions, sessionProblem } from './collect.js';
import { madeBy, readStaged, rowsSignature, type Staged } from './fingerprint.js';
import {
  compareAge,
  type Fork,
  type ForkDecision,
  ForkJudge,
  findForks,
  forkSignature,
  type KnownSession,
  NOT_A_FORK,
  type Standing,
} from './forks.js';
import { countMessages, workingFolder } from './messages.js';
import {
  CONTAINED,
  DEFAULT_WING,
  originOf,
  type SessionOptions,
  type SessionSurvey,
  type SurveyedSession,
  sourceKeyOf,
  type WorkItem,
} from './options.js';
import { findTrees } from './trees.js';

/**
 * Decides for every session whether this run files it, and why not. Nothing is written, and messages of unchanged
 * sessions are not read. The read transactions stay open, so that `stageSessions` stages the surveyed state.
 *
 * @throws UserError when no database can be read, no requested session exists, or the wing is not a valid folder name
 */
export async function surveySessions(options: SessionOptions): Promise<SessionSurvey> {
  if (options.wing !== undefined) checkWing(options.wing);
  const { sessions, histories, problems } = collectSessions(options.databases);
  const close = () => closeAll(histories);
  try {
    return new Surveyor(sessions, options).run(problems, close);
  } catch (error) {
    close();
    throw error;
  }
}

class Surveyor {
  readonly #sessions: ReadonlyMap<string, KnownSession>;
  readonly #options: SessionOptions;
  readonly #version: string;
  readonly #staged: Map<string, Staged[]>;
  readonly #rows = new Map<string, string>();
  readonly #forks: Map<string, Fork>;
  readonly #judge: ForkJudge;
  readonly #treeOf: (id: string) => string;
  #filedTrees: Map<string, KnownSession[]> | undefined;
  /** Sessions that this run files or that the palace contains, by id. */
  readonly #standing = new Map<string, Standing>();

  constructor(sessions: ReadonlyMap<string, KnownSession>, options: SessionOptions) {
    this.#sessions = sessions;
    this.#options = options;
    this.#version = madeBy(options.sanitiser.version);
    this.#staged = readStaged(options.cache);
    this.#forks = findForks(sessions);
    this.#judge = new ForkJudge(this.#forks.values());
    this.#treeOf = findTrees(sessions, this.#forks);
    for (const { sessionId, mtimeMs } of options.filed.values()) {
      this.#standing.set(sessionId, { chosen: false, filedMs: mtimeMs });
    }
    // Messages that a fork copied from a forgotten session are forgotten too, so forgotten sessions count as chosen.
    for (const id of sessions.keys()) if (this.#isForgotten(id)) this.#standing.set(id, { chosen: true });
  }

  run(problems: Skipped[], close: () => void): SessionSurvey {
    const { chosen, skipped } = this.#choose();
    const items: WorkItem[] = [];
    const kept = new Map<string, WorkItem>();
    const contained: SessionSurvey['contained'] = [];
    for (const choice of [...chosen].sort((a, b) => compareAge(a.session, b.session))) {
      const { row } = choice.session;
      try {
        const item = this.#item(choice);
        items.push(item);
        if (!item.decision.contained) {
          kept.set(row.id, item);
          continue;
        }
        this.#standing.delete(row.id);
        skipped.push({ origin: originOf(row.id), reason: CONTAINED, detail: shortTitle(titleOf(row.title)) });
        const filed = this.#options.filed.get(item.sourceKey);
        const standsIn = item.decision.holders.map(sourceKeyOf);
        if (filed !== undefined) contained.push({ wing: filed.wing, sourceKey: item.sourceKey, standsIn });
      } catch (error) {
        this.#standing.delete(row.id);
        skipped.push(sessionProblem(error, choice.session));
      }
    }
    const all = [...problems, ...skipped];
    const chosenIds = new Set(chosen.map(({ session }) => session.row.id));
    return {
      sessions: () =>
        chosen.flatMap(({ session }) => {
          const item = kept.get(session.row.id);
          return item === undefined ? [] : [this.#describe(item)];
        }),
      skipped: all,
      problems: all.filter(({ problem }) => problem === true),
      contained,
      work: {
        items,
        relativesOf: (tree) => this.#relatives(tree, chosenIds),
        judgeWithout: (fork, failed) => this.#judgeWithout(fork, failed),
        wingsOf: (sourceKey) => (this.#staged.get(sourceKey) ?? []).map(({ wing }) => wing),
      },
      close,
    };
  }

  #choose(): ReturnType<typeof chooseSessions> {
    const knownCount = (session: KnownSession) => this.#madeOf(session)?.fingerprint.messages;
    const choice = chooseSessions(this.#sessions, this.#options, knownCount);
    for (const { session } of choice.chosen) this.#standing.set(session.row.id, { chosen: true });
    const overdue = this.#options.since === undefined ? new Set<string>() : this.#overdueForks();
    if (overdue.size === 0) return choice;
    const wider = chooseSessions(this.#sessions, this.#options, knownCount, overdue);
    for (const { session } of wider.chosen) this.#standing.set(session.row.id, { chosen: true });
    return wider;
  }

  /**
   * Filed forks whose original was added or changed after their transcription. Otherwise their common messages would stay
   * filed twice until the fork changes.
   */
  #overdueForks(): Set<string> {
    const overdue = new Set<string>();
    for (const [id, fork] of this.#forks) {
      if (this.#standing.get(id)?.chosen !== false) continue;
      const signature = forkSignature(fork, (original) => this.#standing.get(original));
      if (this.#madeOf(fork.session)?.fingerprint.fork !== signature) overdue.add(id);
    }
    return overdue;
  }

  #item({ session, messages }: Chosen): WorkItem {
    const { row, history } = session;
    const sourceKey = sourceKeyOf(row.id);
    const fork = this.#forks.get(row.id);
    const named = row.directory ?? '';
    const signature = fork === undefined ? '-' : forkSignature(fork, (id) => this.#standing.get(id));
    const decision = fork === undefined ? NOT_A_FORK : this.#decide(fork, signature);
    return {
      session,
      sourceKey,
      wing: this.#wingOf(sourceKey),
      directory: named === '' || named === '/' ? (workingFolder(history, row) ?? named) : named,
      parentTitle: this.#parentTitle(session),
      messages,
      rows: this.#rowsOf(session),
      forkSignature: signature,
      fork,
      decision: this.#withoutForgotten(sourceKey, fork, decision),
      tree: this.#treeOf(row.id),
    };
  }

  /** Filed sessions of a tree that were not chosen. They stay in their wing. */
  #relatives(tree: string, chosen: ReadonlySet<string>): WorkItem[] {
    this.#filedTrees ??= this.#filedByTree();
    const relatives = (this.#filedTrees.get(tree) ?? []).filter(({ row }) => !chosen.has(row.id));
    return relatives.sort(compareAge).flatMap((session) => {
      try {
        const messages =
          this.#madeOf(session)?.fingerprint.messages ?? countMessages(session.history, session.row).messages;
        const item = this.#item({ session, messages });
        const wing = this.#options.filed.get(item.sourceKey)?.wing ?? item.wing;
        return item.decision.contained ? [] : [{ ...item, wing }];
      } catch (error) {
        // Its filed version stays.
        sessionProblem(error, session);
        return [];
      }
    });
  }

  #filedByTree(): Map<string, KnownSession[]> {
    const filed = [...this.#options.filed.values()].flatMap(({ sessionId: id, sourceKey }) =>
      sourceKey !== sourceKeyOf(id) || this.#isForgotten(id) ? [] : (this.#sessions.get(id) ?? []),
    );
    return groupBy(filed, ({ row }) => this.#treeOf(row.id));
  }

  /**
   * For a fork of a forgotten session that opencode no longer contains either. Only the record of an earlier run shows
   * which of its messages are copies.
   */
  #withoutForgotten(sourceKey: string, fork: Fork | undefined, decision: ForkDecision): ForkDecision {
    for (const { fingerprint, standsIn } of this.#staged.get(sourceKey) ?? []) {
      const ids = standsIn.map((key) => key.slice(sourceKeyOf('').length));
      const gone = ids.some((id) => this.#isForgotten(id) && !this.#sessions.has(id));
      if (!gone || fingerprint.covered <= decision.covered) continue;
      if (fork !== undefined) this.#judge.remember(fork, fingerprint.covered);
      return {
        covered: fingerprint.covered,
        holders: [...new Set([...decision.holders, ...ids])],
        contained: false,
      };
    }
    return decision;
  }

  #isForgotten(id: string): boolean {
    return this.#options.forgotten?.has(sourceKeyOf(id)) === true;
  }

  /** An earlier decision stays valid until its inputs change. */
  #decide(fork: Fork, signature: string): ForkDecision {
    const made = this.#madeOf(fork.session);
    if (made?.fingerprint.fork !== signature || this.#options.force) {
      return this.#judge.judge(fork, (id) => this.#standing.get(id));
    }
    this.#judge.remember(fork, made.fingerprint.covered);
    const holders = made.standsIn.map((key) => key.slice(sourceKeyOf('').length));
    return { covered: made.fingerprint.covered, holders, contained: false };
  }

  #judgeWithout(fork: Fork, failed: ReadonlySet<string>): ForkDecision {
    return this.#judge.judge(fork, (id) => {
      if (!failed.has(id)) return this.#standing.get(id);
      const filed = this.#options.filed.get(sourceKeyOf(id));
      return filed === undefined ? undefined : { chosen: false, filedMs: filed.mtimeMs };
    });
  }

  #describe(item: WorkItem): SurveyedSession {
    const { row, change } = item.session;
    return {
      id: row.id,
      sourceKey: item.sourceKey,
      slug: row.slug ?? undefined,
      title: titleOf(row.title),
      directory: item.directory,
      room: roomOf(item.directory),
      wing: item.wing,
      date: new Date(row.time_created).toISOString().replace(/T.*/, ''),
      messages: item.messages,
      changedMs: change.changedMs,
      status: this.#status(item),
      estimatedChars: change.bytes,
      parentId: row.parent_id ?? undefined,
      standsIn: item.decision.holders.map(sourceKeyOf),
    };
  }

  #status({ sourceKey, session, decision }: WorkItem): SurveyedSession['status'] {
    const filed = this.#options.filed.get(sourceKey);
    if (filed === undefined) return 'new';
    if (filed.mtimeMs !== session.change.changedMs) return 'grown';
    const staged = this.#staged.get(sourceKey);
    if (staged === undefined) return 'unchanged';
    return this.#madeOf(session)?.fingerprint.covered === decision.covered ? 'unchanged' : 'grown';
  }

  /** The transcript that an earlier run made from exactly these rows. */
  #madeOf(session: KnownSession): Staged | undefined {
    const staged = this.#staged.get(sourceKeyOf(session.row.id));
    return staged?.find(({ fingerprint }) => fingerprint.rows === this.#rowsOf(session));
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
    const wing = this.#options.wing ?? this.#options.filed.get(sourceKey)?.wing ?? DEFAULT_WING;
    checkWing(wing);
    return wing;
  }
}

/** A wing is a folder name. */
function checkWing(wing: string): void {
  if (/^[^/\\\0]+$/.test(wing) && wing !== '.' && wing !== '..') return;
  throw new UserError('usage', `${JSON.stringify(wing)} cannot be a wing`, {
    hint: 'use letters, digits, - and _ in the name of a wing',
  });
}
