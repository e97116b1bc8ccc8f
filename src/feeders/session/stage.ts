import type { Batch, Skipped } from '../../core/contract.js';
import { TimeUp } from '../../core/time-up.js';
import type { Scope } from '../../sanitiser/index.js';
import { containsSecret } from '../staging/contains-secret.js';
import { inPieces } from '../staging/in-pieces.js';
import type { StagedEntry } from '../staging/staging.js';
import { StagedWings } from '../staging/wings.js';
import { sessionProblem } from './collect.js';
import { madeBy, readFingerprint, writeFingerprint } from './fingerprint.js';
import type { ForkDecision } from './forks.js';
import {
  CONTAINED,
  originOf,
  type SessionOptions,
  type SessionSurvey,
  STAGING_ROOT,
  sourceKeyOf,
  type WorkItem,
} from './options.js';
import { sourceFacts, transcriptOf } from './transcript-of.js';
import { byTree, learnSession } from './trees.js';
import { skipOf, unreadBefore, unreadOf } from './unread.js';

/**
 * Writes the transcripts that are not staged yet, or not as they should be, below
 * `<cache>/mempalace-session/<wing>/`, and returns one batch for each wing touched, with every chosen
 * session of it. What earlier runs staged and this one did not choose stays staged. Ends the survey.
 *
 * Everything that was passed over is in the batches, the survey's part of it in the first. When there is
 * nothing to stage, that is one batch without sources, and no file is touched.
 *
 * @throws UserError `locked` when another run holds a wing's staging folder, `interrupted` on the signal
 *   (what was staged until then is kept)
 * @throws TimeUp when `timeIsUp` said so before everything was staged (what was staged until then is kept)
 */
export async function stageSessions(survey: SessionSurvey, options: SessionOptions): Promise<Batch[]> {
  try {
    return await new Stager(survey, options).run();
  } finally {
    survey.close();
  }
}

/** Sessions that belong together, while they are staged. */
interface Tree {
  scope: Scope;
  /** What this run has transcribed, and what was known then. */
  made: { entry: StagedEntry; known: number }[];
  /** Its unchanged sessions were looked at for what they give away. */
  learned: boolean;
}

/** A transcript from which nothing was taken that another session may have, too. */
function hasNoSecrets({ redacted = {} }: StagedEntry): boolean {
  return Object.keys(redacted).every((kind) => kind === 'injected' || kind === 'private');
}

class Stager {
  readonly #survey: SessionSurvey;
  readonly #options: SessionOptions;
  readonly #madeBy: string;
  readonly #wings: StagedWings;
  /** Chosen sessions that could not be read. */
  readonly #failed = new Set<string>();
  /** Transcripts written by this run. */
  #written = 0;
  /** Bytes of the sessions that are done, and of all. */
  #bytes = 0;
  #totalBytes = 0;

  constructor(survey: SessionSurvey, options: SessionOptions) {
    this.#survey = survey;
    this.#options = options;
    this.#wings = new StagedWings({ ...options, root: STAGING_ROOT });
    this.#madeBy = madeBy(options.sanitiser.version);
  }

  async run(): Promise<Batch[]> {
    const wings = this.#wingsTouched();
    const skipped = await this.#cleaned(this.#survey.skipped);
    if (wings.size === 0) return [{ sources: [], skipped }];
    const batches = await this.#wings.stage(wings, skipped, () => this.#stageAll());
    const seen = new Set<string>();
    for (const batch of batches) {
      batch.skipped = batch.skipped.filter(({ origin, reason, detail }) => {
        const size = seen.size;
        return seen.add(JSON.stringify([origin, reason, detail])).size > size;
      });
    }
    return batches;
  }

  /** What was passed over is written down too, with titles in it. */
  async #cleaned(skipped: readonly Skipped[]): Promise<Skipped[]> {
    const { sanitiser } = this.#options;
    return Promise.all(
      skipped.map(async (skip) => {
        if (skip.detail === undefined) return skip;
        return { ...skip, detail: (await sanitiser.clean(skip.detail)).text };
      }),
    );
  }

  #wingsTouched(): Set<string> {
    const wings = new Set(this.#survey.contained.map(({ wing }) => wing));
    for (const { wing, sourceKey, decision } of this.#survey.work.items) {
      if (!decision.contained) wings.add(wing);
      for (const other of this.#survey.work.wingsOf(sourceKey)) wings.add(other);
    }
    return wings;
  }

  async #stageAll(): Promise<void> {
    const { items } = this.#survey.work;
    this.#totalBytes = items.reduce((sum, { session }) => sum + session.change.bytes, 0);
    let done = 0;
    for (const tree of byTree(items).values()) {
      done = await this.#stageTree(tree, done);
      if (done < items.length && this.#isTimeUp()) throw new TimeUp(this.#written + items.length - done);
    }
  }

  /** What is staged already costs next to nothing: runs that are all too short get further each time. */
  #isTimeUp(): boolean {
    return this.#written > 0 && this.#options.timeIsUp?.() === true;
  }

  /**
   * Stages sessions that belong together: a secret that one of them gives away goes from all. When none of them has
   * changed, nothing is read.
   *
   * @returns `done` with those of them that there was time for
   */
  async #stageTree(items: readonly WorkItem[], done: number): Promise<number> {
    const tree: Tree = { scope: this.#options.sanitiser.scope(), made: [], learned: false };
    let count = done;
    for (const item of items) {
      this.#wings.throwIfInterrupted();
      if (count > done && this.#isTimeUp()) break;
      try {
        await this.#place(item, tree, items, (chars) => {
          this.#advance(Math.min(chars, item.session.change.bytes));
        });
      } catch (error) {
        this.#fail(item, error);
      }
      count += 1;
      this.#bytes += item.session.change.bytes;
      this.#advance(0);
    }
    await this.#removeKnown(tree, items);
    for (const { entry } of tree.made) this.#wings.staging(entry.wing).put(entry);
    return count;
  }

  /** @param chars of the session that is being transcribed */
  #advance(chars: number): void {
    this.#options.onProgress?.(this.#bytes + chars, this.#totalBytes);
  }

  #fail(item: WorkItem, error: unknown): void {
    this.#wings.throwIfInterrupted();
    this.#failed.add(item.session.row.id);
    this.#wings.anyBatch(item.wing)?.skipped.push(sessionProblem(error, item.session));
  }

  /** What the unchanged sessions of a tree gave away when they were transcribed, is not written down anywhere. */
  async #learn(tree: Tree, items: readonly WorkItem[]): Promise<void> {
    if (tree.learned) return;
    tree.learned = true;
    for (const item of [...items, ...this.#survey.work.relativesOf(items[0]?.tree ?? '')]) {
      if (item.decision.contained) continue;
      const entry = this.#wings.isOpen(item.wing)
        ? this.#wings.staging(item.wing).entry(item.sourceKey)
        : undefined;
      const isCurrent = entry !== undefined && readFingerprint(entry.fingerprint)?.rows === item.rows;
      // Those that are going to be transcribed give theirs away then.
      if (isCurrent ? hasNoSecrets(entry) : items.includes(item)) continue;
      try {
        await learnSession(item, item.decision, tree.scope, this.#options.signal);
      } catch (error) {
        this.#wings.throwIfInterrupted();
        sessionProblem(error, item.session);
      }
    }
  }

  /** Transcribes again those sessions of a tree in which something stands that another one has given away since. */
  async #removeKnown(tree: Tree, items: readonly WorkItem[]): Promise<void> {
    const { scope } = tree;
    if (scope.known === 0) return;
    for (const item of [...items, ...this.#survey.work.relativesOf(items[0]?.tree ?? '')]) {
      this.#wings.throwIfInterrupted();
      const decision = this.#decisionOf(item);
      if (decision.contained || this.#failed.has(item.session.row.id)) continue;
      const mine = tree.made.find(({ entry }) => entry.sourceKey === item.sourceKey);
      if (mine?.known === scope.known) continue;
      try {
        await this.#wings.open(item.wing);
        const entry = mine?.entry ?? this.#wings.staging(item.wing).entry(item.sourceKey);
        // One that is not staged any more may hold it: it is staged again, and is the same as before if it does not.
        if (entry === undefined ? items.includes(item) : !(await containsSecret(entry.path, scope))) continue;
        const again = await this.#transcribe(item, decision, tree);
        if (again !== undefined) this.#replaceInBatch(again);
      } catch (error) {
        this.#fail(item, error);
        if (mine !== undefined) this.#unmake(tree, mine.entry);
      }
    }
  }

  /** What has a secret in it still is not filed. */
  #unmake(tree: Tree, { sourceKey, wing }: StagedEntry): void {
    tree.made = tree.made.filter(({ entry }) => entry.sourceKey !== sourceKey);
    this.#wings.staging(wing).drop(sourceKey);
    const batch = this.#wings.batch(wing);
    batch.sources = batch.sources.filter((source) => source.sourceKey !== sourceKey);
  }

  #replaceInBatch(entry: StagedEntry): void {
    const { sources } = this.#wings.batch(entry.wing);
    const place = sources.findIndex(({ sourceKey }) => sourceKey === entry.sourceKey);
    if (place < 0) sources.push(entry);
    else sources[place] = entry;
  }

  async #place(
    item: WorkItem,
    tree: Tree,
    items: readonly WorkItem[],
    onChars: (chars: number) => void,
  ): Promise<void> {
    const decision = this.#decisionOf(item);
    if (decision.contained) {
      const filed = this.#options.filed.get(item.sourceKey);
      if (filed === undefined) return this.#wings.drop(item.sourceKey);
      await this.#wings.open(filed.wing);
      return this.#wings.contain(filed.wing, item.sourceKey, decision.holders.map(sourceKeyOf));
    }
    if (item.decision.contained) this.#takeBack(item);
    await this.#wings.open(item.wing);
    const current = this.#current(item, decision);
    if (current !== undefined) this.#report(item, unreadBefore(item, current));
    if (current === undefined) await this.#learn(tree, items);
    const entry = current ?? (await this.#transcribe(item, decision, tree, onChars));
    this.#wings.drop(item.sourceKey, entry === undefined ? undefined : item.wing);
    if (entry === undefined) return;
    this.#wings.batch(item.wing).sources.push(entry);
  }

  /** It was passed over as having nothing of its own, which is not so without the session that failed. */
  #takeBack({ session }: WorkItem): void {
    for (const batch of this.#wings.batches) {
      const origin = originOf(session.row.id);
      batch.skipped = batch.skipped.filter((skip) => skip.origin !== origin || skip.reason !== CONTAINED);
    }
  }

  /** A fork that was to lean on a session which could not be read keeps its own copy. */
  #decisionOf(item: WorkItem): ForkDecision {
    const { fork, decision } = item;
    if (fork === undefined || !decision.holders.some((id) => this.#failed.has(id))) return decision;
    return this.#survey.work.judgeWithout(fork, this.#failed);
  }

  /** The staged transcript, when it was made of exactly these rows. */
  #current(item: WorkItem, decision: ForkDecision): StagedEntry | undefined {
    if (this.#options.force || decision !== item.decision) return undefined;
    const entry = this.#wings.staging(item.wing).entry(item.sourceKey);
    const made = entry === undefined ? undefined : readFingerprint(entry.fingerprint);
    return made?.rows === item.rows && made.fork === item.forkSignature ? entry : undefined;
  }

  async #transcribe(
    item: WorkItem,
    decision: ForkDecision,
    tree: Tree,
    onChars?: (chars: number) => void,
  ): Promise<StagedEntry | undefined> {
    const { sourceKey, wing } = item;
    const { scope } = tree;
    const { signal } = this.#options;
    const staging = this.#wings.staging(wing);
    const before = scope.known;
    let made = await this.#write(item, decision, scope, onChars);
    // What stands before the place that gave it away is in the file.
    if (scope.known > before && (await containsSecret(made.file.path, scope, signal)))
      made = await this.#write(item, decision, scope);
    const { file, transcript } = made;
    const { head, notes, counts } = transcript;
    this.#written += 1;
    this.#report(item, unreadOf(item, notes));
    if (counts.lines === 0) {
      staging.drop(sourceKey);
      this.#report(item, [skipOf(item, 'nothing to keep', head.title)]);
      return undefined;
    }
    const entry: StagedEntry = {
      ...file,
      ...sourceFacts(item, decision, transcript, this.#madeBy),
      fingerprint: writeFingerprint({
        rows: item.rows,
        // A decision that this run had to repeat is repeated by the next one, too.
        fork: decision === item.decision ? item.forkSignature : '-',
        messages: item.messages,
        oversized: notes.oversized.length,
        covered: decision.covered,
        untold: notes.untold,
      }),
    };
    tree.made = tree.made.filter(({ entry: earlier }) => earlier.sourceKey !== sourceKey);
    // One that gave something away is recorded when it is gone from the others: else a killed run would leave it there.
    tree.made.push({ entry, known: scope.known });
    if (scope.known === before) staging.put(entry);
    await staging.keep({ skipped: [] });
    return entry;
  }

  async #write(item: WorkItem, decision: ForkDecision, scope: Scope, onChars?: (chars: number) => void) {
    const transcript = await transcriptOf(item, decision, scope);
    const pieces = inPieces(transcript.lines, this.#options.signal, onChars);
    const file = await this.#wings
      .staging(item.wing)
      .write(transcript.name, pieces, item.session.change.changedMs);
    return { transcript, file };
  }

  #report({ wing }: WorkItem, skips: readonly Skipped[]): void {
    this.#wings.batch(wing).skipped.push(...skips);
  }
}
