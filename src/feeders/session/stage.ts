import type { Batch, Skipped } from '../../core/contract.js';
import { groupBy } from '../../core/group-by.js';
import { TimeUp } from '../../core/time-up.js';
import type { Scope } from '../../sanitiser/index.js';
import { containsSecret } from '../staging/contains-secret.js';
import { TRANSCRIPTS_ROOT } from '../staging/read-staged.js';
import type { StagedEntry } from '../staging/staging.js';
import { StagedWings } from '../staging/wings.js';
import { sessionProblem } from './collect.js';
import { madeBy, readFingerprint, writeFingerprint } from './fingerprint.js';
import { CONTAINED, originOf, type SessionOptions, type WorkItem } from './options.js';
import type { SessionSurvey } from './survey.js';
import {
  containedFacts,
  learnSession,
  sourceFacts,
  transcriptOf,
  unreadBefore,
  unreadIn,
} from './transcript-of.js';

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
  items: readonly WorkItem[];
  scope: Scope;
  /** Transcripts of this run by source key, and how many secrets were known then. */
  made: Map<string, { entry: StagedEntry; known: number }>;
  /** Whether its unchanged sessions were searched for secrets. */
  learned: boolean;
}

function hasNoSecrets({ redacted = {} }: StagedEntry): boolean {
  return Object.keys(redacted).every((kind) => kind === 'injected' || kind === 'private');
}

class Stager {
  readonly #madeBy: string;
  readonly #wings: StagedWings;
  readonly #failed = new Set<string>();

  constructor(
    private readonly survey: SessionSurvey,
    private readonly options: SessionOptions,
  ) {
    const { manifests } = survey;
    this.#wings = new StagedWings({ ...options, root: TRANSCRIPTS_ROOT, manifests });
    this.#madeBy = madeBy(options.sanitiser.version);
  }

  async run(): Promise<Batch[]> {
    const wings = this.#wingsTouched();
    const skipped = await this.#cleanedSkips();
    const batches: Batch[] =
      wings.size === 0
        ? [{ sources: [], skipped }]
        : await this.#wings.stage(wings, skipped, () => this.#stageAll());
    for (const batch of batches) {
      batch.skipped = [...new Map(batch.skipped.map((skip) => [JSON.stringify(skip), skip])).values()];
    }
    return batches;
  }

  /** Skips are stored, and their details contain titles. */
  async #cleanedSkips(): Promise<Skipped[]> {
    const { sanitiser } = this.options;
    return Promise.all(
      this.survey.skipped.map(async (skip) => {
        if (skip.detail === undefined) return skip;
        return { ...skip, detail: (await sanitiser.clean(skip.detail)).text };
      }),
    );
  }

  #wingsTouched(): Set<string> {
    const wings = new Set(this.survey.contained.map(({ wing }) => wing));
    for (const { wing, sourceKey, decision } of this.survey.items) {
      if (!decision.contained) wings.add(wing);
      for (const other of this.survey.wingsOf(sourceKey)) wings.add(other);
    }
    return wings;
  }

  /** Stages related sessions together: a secret that one of them reveals is redacted in all. */
  async #stageAll(): Promise<void> {
    const { items } = this.survey;
    const bytesTotal = items.reduce((sum, { session }) => sum + session.change.bytes, 0);
    let bytes = 0;
    let done = 0;
    for (const members of groupBy(items, ({ tree }) => tree).values()) {
      const scope = this.options.sanitiser.scope();
      const tree: Tree = { items: members, scope, made: new Map(), learned: false };
      for (const item of members) {
        this.#wings.throwIfInterrupted();
        if (item !== members[0] && this.#isTimeUp(tree)) break;
        const size = item.session.change.bytes;
        const progress = (chars: number) =>
          this.options.onProgress?.(bytes + Math.min(chars, size), bytesTotal);
        try {
          await this.#place(item, tree, progress);
        } catch (error) {
          this.#fail(item, error);
        }
        done += 1;
        progress(size);
        bytes += size;
      }
      await this.#redactAgain(tree);
      for (const { entry } of tree.made.values()) this.#wings.staging(entry.wing).put(entry);
      if (done < items.length && this.#isTimeUp(tree))
        throw new TimeUp(items.length - done, this.#wings.staged());
    }
  }

  /** See `Staging.advances`; sessions of this tree are recorded later. */
  #isTimeUp({ made }: Tree): boolean {
    if (this.options.timeIsUp?.() !== true) return false;
    const isNew = ({ entry }: { entry: StagedEntry }) => this.#wings.staging(entry.wing).isNew(entry);
    return this.#wings.advances > 0 || [...made.values()].some(isNew);
  }

  #fail(item: WorkItem, error: unknown): void {
    this.#wings.throwIfInterrupted();
    this.#failed.add(item.session.row.id);
    this.#wings.anyBatch(item.wing)?.skipped.push(sessionProblem(error, item.session));
  }

  #relatedIn({ items }: Tree): WorkItem[] {
    return [...items, ...this.survey.relativesOf(items[0]?.tree ?? '')];
  }

  /** Learns the secrets of a tree's unchanged sessions, since secrets are not stored. */
  async #learn(tree: Tree): Promise<void> {
    if (tree.learned) return;
    tree.learned = true;
    for (const item of this.#relatedIn(tree)) {
      const entry = this.#wings.isOpen(item.wing)
        ? this.#wings.staging(item.wing).entry(item.sourceKey)
        : undefined;
      const isCurrent = entry !== undefined && readFingerprint(entry.fingerprint)?.rows === item.rows;
      // Sessions that will be transcribed reveal their secrets then.
      if (isCurrent ? hasNoSecrets(entry) : tree.items.includes(item)) continue;
      await learnSession(item, tree.scope, this.options.signal);
    }
  }

  /** Transcribes sessions again if they contain a secret that was found in another session later. */
  async #redactAgain(tree: Tree): Promise<void> {
    const { scope, made } = tree;
    if (scope.known === 0) return;
    for (const related of this.#relatedIn(tree)) {
      this.#wings.throwIfInterrupted();
      const item = this.survey.decidedWithout(this.#failed, related);
      const { sourceKey, wing, session, decision } = item;
      if (decision.contained || this.#failed.has(session.row.id)) continue;
      const mine = made.get(sourceKey);
      if (mine?.known === scope.known) continue;
      try {
        await this.#wings.open(wing);
        const entry = mine?.entry ?? this.#wings.staging(wing).entry(sourceKey);
        const isChosen = tree.items.includes(related);
        // A filed session that is not staged may contain the secret, so it is staged again.
        if (entry === undefined ? isChosen : !(await containsSecret(entry.path, scope))) continue;
        const again = await this.#transcribe(item, tree);
        if (again !== undefined) this.#putInBatch(again);
      } catch (error) {
        this.#fail(item, error);
        if (mine !== undefined) this.#unmake(tree, mine.entry);
      }
    }
  }

  /** Removes a transcript that still contains a secret, so that it is not filed. */
  #unmake(tree: Tree, { sourceKey, wing }: StagedEntry): void {
    tree.made.delete(sourceKey);
    this.#wings.staging(wing).drop(sourceKey);
    const batch = this.#wings.batch(wing);
    batch.sources = batch.sources.filter((source) => source.sourceKey !== sourceKey);
  }

  #putInBatch(entry: StagedEntry): void {
    const { sources } = this.#wings.batch(entry.wing);
    const place = sources.findIndex(({ sourceKey }) => sourceKey === entry.sourceKey);
    if (place < 0) sources.push(entry);
    else sources[place] = entry;
  }

  async #place(chosen: WorkItem, tree: Tree, onBytes: (bytes: number) => void): Promise<void> {
    const item = this.survey.decidedWithout(this.#failed, chosen);
    const { sourceKey, wing, decision } = item;
    if (decision.contained) {
      const filed = this.options.filed.get(sourceKey);
      if (filed === undefined) return this.#wings.drop(sourceKey);
      await this.#wings.open(filed.wing);
      return this.#wings.contain(filed.wing, containedFacts(item));
    }
    if (chosen.decision.contained) this.#takeBack(item);
    await this.#wings.open(wing);
    let entry = item === chosen ? this.#current(item) : undefined;
    if (entry !== undefined) this.#wings.batch(wing).skipped.push(...unreadIn(item, unreadBefore(entry)));
    else {
      await this.#learn(tree);
      entry = await this.#transcribe(item, tree, onBytes);
    }
    this.#wings.drop(sourceKey, entry === undefined ? undefined : wing);
    if (entry === undefined) return;
    this.#wings.batch(wing).sources.push(entry);
    this.#wings.reveal(wing, sourceKey, tree.scope);
  }

  /** Removes the skip of a fork: without the session that failed, its messages count as its own. */
  #takeBack({ session }: WorkItem): void {
    for (const batch of this.#wings.batches) {
      const origin = originOf(session.row.id);
      batch.skipped = batch.skipped.filter((skip) => skip.origin !== origin || skip.reason !== CONTAINED);
    }
  }

  /** The staged transcript if it was made from exactly these rows. */
  #current(item: WorkItem): StagedEntry | undefined {
    const entry = this.#wings.staging(item.wing).entry(item.sourceKey);
    if (entry === undefined || this.options.force) return undefined;
    const made = readFingerprint(entry.fingerprint);
    return made?.rows === item.rows && made.fork === item.forkSignature ? entry : undefined;
  }

  async #transcribe(
    item: WorkItem,
    tree: Tree,
    onBytes?: (bytes: number) => void,
  ): Promise<StagedEntry | undefined> {
    const { sourceKey, session, wing } = item;
    const { scope } = tree;
    const { signal } = this.options;
    const staging = this.#wings.staging(wing);
    const { skipped } = this.#wings.batch(wing);
    const before = scope.known;
    const make = async () => {
      const transcript = await transcriptOf(item, scope);
      const { name, lines } = transcript;
      const file = await staging.write(name, lines, session.change.changedMs, { signal, onBytes });
      return { transcript, file };
    };
    let made = await make();
    // The file may contain the secret before the place that revealed it.
    if (scope.known > before && (await containsSecret(made.file.path, scope, signal))) made = await make();
    const { file, transcript } = made;
    const { head, notes, counts } = transcript;
    skipped.push(...unreadIn(item, notes));
    if (counts.lines === 0) {
      staging.drop(sourceKey);
      skipped.push({ origin: originOf(session.row.id), reason: 'nothing to keep', detail: head.title });
      return undefined;
    }
    const entry: StagedEntry = {
      ...file,
      ...sourceFacts(
        item,
        transcript,
        this.#madeBy,
        staging.entry(sourceKey) ?? this.options.filed.get(sourceKey),
      ),
      fingerprint: writeFingerprint({
        rows: item.rows,
        fork: item.forkSignature,
        messages: item.messages,
        oversized: notes.oversized.length,
        covered: item.decision.covered,
        unrecognised: notes.unrecognised,
      }),
    };
    // A transcript that revealed a secret is recorded after the secret is redacted in the others: otherwise a killed run
    // would leave it there.
    tree.made.set(sourceKey, { entry, known: scope.known });
    if (scope.known === before) staging.put(entry);
    await staging.keep({ skipped: [] });
    return entry;
  }
}
