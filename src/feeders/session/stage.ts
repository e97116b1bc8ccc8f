import type { Batch, Skipped } from '../../core/contract.js';
import { groupBy } from '../../core/group-by.js';
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
  STAGING_ROOT,
  sourceKeyOf,
  type WorkItem,
} from './options.js';
import type { SessionSurvey } from './survey.js';
import { sourceFacts, transcriptOf } from './transcript-of.js';
import { learnSession } from './trees.js';
import { skipOf, unreadBefore, unreadOf } from './unread.js';

/**
 * Writes missing and outdated transcripts below `<cache>/mempalace-session/<wing>/`. Returns one batch per affected
 * wing, with all its chosen sessions. Staged sessions that this run did not choose stay. Ends the survey.
 *
 * The batches contain all skips; those of the survey are in the first batch. If there is nothing to stage, the result is
 * one batch without sources, and no file is changed.
 *
 * On these errors the staged transcripts are kept:
 *
 * @throws UserError `locked` when another run has locked a wing's staging folder, `interrupted` on the signal
 * @throws TimeUp when `timeIsUp` is true before everything is staged
 */
export async function stageSessions(survey: SessionSurvey, options: SessionOptions): Promise<Batch[]> {
  try {
    return await new Stager(survey, options).run();
  } finally {
    survey.close();
  }
}

/** Related sessions while they are staged. */
interface Tree {
  scope: Scope;
  /** Transcripts of this run, and how many secrets were known then. */
  made: { entry: StagedEntry; known: number }[];
  /** Whether its unchanged sessions were searched for secrets. */
  learned: boolean;
}

/** Whether the transcript contained no secret that another session may contain too. */
function hasNoSecrets({ redacted = {} }: StagedEntry): boolean {
  return Object.keys(redacted).every((kind) => kind === 'injected' || kind === 'private');
}

class Stager {
  readonly #survey: SessionSurvey;
  readonly #options: SessionOptions;
  readonly #madeBy: string;
  readonly #wings: StagedWings;
  /** Ids of chosen sessions that could not be read. */
  readonly #failed = new Set<string>();
  /** Number of transcripts written by this run. */
  #written = 0;
  /** Bytes of the finished sessions. */
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
    const batches: Batch[] =
      wings.size === 0
        ? [{ sources: [], skipped }]
        : await this.#wings.stage(wings, skipped, () => this.#stageAll());
    const seen = new Set<string>();
    for (const batch of batches) {
      batch.skipped = batch.skipped.filter(({ origin, reason, detail }) => {
        const size = seen.size;
        return seen.add(JSON.stringify([origin, reason, detail])).size > size;
      });
    }
    return batches;
  }

  /** Skips are stored, and their details contain titles. */
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
    for (const { wing, sourceKey, decision } of this.#survey.items) {
      if (!decision.contained) wings.add(wing);
      for (const other of this.#survey.wingsOf(sourceKey)) wings.add(other);
    }
    return wings;
  }

  async #stageAll(): Promise<void> {
    const { items } = this.#survey;
    this.#totalBytes = items.reduce((sum, { session }) => sum + session.change.bytes, 0);
    let done = 0;
    for (const tree of groupBy(items, (item) => item.tree).values()) {
      done = await this.#stageTree(tree, done);
      if (done < items.length && this.#isTimeUp()) throw new TimeUp(this.#written + items.length - done);
    }
  }

  /** Staged sessions cost almost nothing, so even runs that are all too short make progress. */
  #isTimeUp(): boolean {
    return this.#written > 0 && this.#options.timeIsUp?.() === true;
  }

  /**
   * Stages related sessions: a secret that one of them reveals is redacted in all. Unchanged trees are not read.
   *
   * @returns `done` plus the number of sessions that were staged in time
   */
  async #stageTree(items: readonly WorkItem[], done: number): Promise<number> {
    const tree: Tree = { scope: this.#options.sanitiser.scope(), made: [], learned: false };
    let count = done;
    for (const item of items) {
      this.#wings.throwIfInterrupted();
      if (count > done && this.#isTimeUp()) break;
      try {
        const { bytes } = item.session.change;
        await this.#place(item, tree, items, (chars) => this.#advance(Math.min(chars, bytes)));
      } catch (error) {
        this.#fail(item, error);
      }
      count += 1;
      this.#bytes += item.session.change.bytes;
      this.#advance(0);
    }
    await this.#redactAgain(tree, items);
    for (const { entry } of tree.made) this.#wings.staging(entry.wing).put(entry);
    return count;
  }

  /** @param chars progress within the current session */
  #advance(chars: number): void {
    this.#options.onProgress?.(this.#bytes + chars, this.#totalBytes);
  }

  #fail(item: WorkItem, error: unknown): void {
    this.#wings.throwIfInterrupted();
    this.#failed.add(item.session.row.id);
    this.#wings.anyBatch(item.wing)?.skipped.push(sessionProblem(error, item.session));
  }

  /** Learns the secrets of a tree's unchanged sessions, since secrets are not stored. */
  async #learn(tree: Tree, items: readonly WorkItem[]): Promise<void> {
    if (tree.learned) return;
    tree.learned = true;
    for (const item of [...items, ...this.#survey.relativesOf(items[0]?.tree ?? '')]) {
      if (item.decision.contained) continue;
      const entry = this.#wings.isOpen(item.wing)
        ? this.#wings.staging(item.wing).entry(item.sourceKey)
        : undefined;
      const isCurrent = entry !== undefined && readFingerprint(entry.fingerprint)?.rows === item.rows;
      // Sessions that will be transcribed reveal their secrets then.
      if (isCurrent ? hasNoSecrets(entry) : items.includes(item)) continue;
      try {
        await learnSession(item, item.decision, tree.scope, this.#options.signal);
      } catch (error) {
        this.#wings.throwIfInterrupted();
        sessionProblem(error, item.session);
      }
    }
  }

  /** Transcribes sessions again if they contain a secret that was found in another session later. */
  async #redactAgain(tree: Tree, items: readonly WorkItem[]): Promise<void> {
    const { scope } = tree;
    if (scope.known === 0) return;
    for (const item of [...items, ...this.#survey.relativesOf(items[0]?.tree ?? '')]) {
      this.#wings.throwIfInterrupted();
      const decision = this.#decisionOf(item);
      if (decision.contained || this.#failed.has(item.session.row.id)) continue;
      const mine = tree.made.find(({ entry }) => entry.sourceKey === item.sourceKey);
      if (mine?.known === scope.known) continue;
      try {
        await this.#wings.open(item.wing);
        const entry = mine?.entry ?? this.#wings.staging(item.wing).entry(item.sourceKey);
        // A filed session that is not staged may contain the secret, so it is staged again.
        if (entry === undefined ? items.includes(item) : !(await containsSecret(entry.path, scope))) continue;
        const again = await this.#transcribe(item, decision, tree);
        if (again !== undefined) this.#replaceInBatch(again);
      } catch (error) {
        this.#fail(item, error);
        if (mine !== undefined) this.#unmake(tree, mine.entry);
      }
    }
  }

  /** Removes a transcript that still contains a secret, so that it is not filed. */
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

  /** Removes the skip of a fork: without the session that failed, its messages count as its own. */
  #takeBack({ session }: WorkItem): void {
    for (const batch of this.#wings.batches) {
      const origin = originOf(session.row.id);
      batch.skipped = batch.skipped.filter((skip) => skip.origin !== origin || skip.reason !== CONTAINED);
    }
  }

  /** A fork of an unreadable session keeps its copy of the messages. */
  #decisionOf(item: WorkItem): ForkDecision {
    const { fork, decision } = item;
    if (fork === undefined || !decision.holders.some((id) => this.#failed.has(id))) return decision;
    return this.#survey.judgeWithout(fork, this.#failed);
  }

  /** The staged transcript if it was made from exactly these rows. */
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
    // The file may contain the secret before the place that revealed it.
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
        // If this run changed the decision, the next run decides again.
        fork: decision === item.decision ? item.forkSignature : '-',
        messages: item.messages,
        oversized: notes.oversized.length,
        covered: decision.covered,
        unrecognised: notes.unrecognised,
      }),
    };
    tree.made = tree.made.filter(({ entry: earlier }) => earlier.sourceKey !== sourceKey);
    // A transcript that revealed a secret is recorded after the secret is redacted in the others: otherwise a killed run
    // would leave it there.
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
