import { statSync } from 'node:fs';
import { UserError } from '../core/errors.js';
import { Archive } from './db/archive.js';
import { driftOf } from './db/drift.js';
import { networkFileSystem, networkWarning } from './db/file-system.js';
import { type Check, type CheckOptions, checkPalace } from './db/integrity.js';
import { type ModelIdentity, storedModel } from './db/model.js';
import { openForReading, openForWriting } from './db/open.js';
import { ownershipWarnings, type Warning } from './db/ownership.js';
import { palaceFile } from './db/palace-file.js';
import type { FiledSource, Filing, RunStamp, SourceRecord } from './db/records.js';
import { replaceDerived } from './db/replace-derived.js';
import { dropStatistics, emptyLog, returnFreePages, unusedBytes, vacuum } from './db/space.js';
import { Sql } from './db/sql.js';
import { LexicalIndex } from './index/lexical.js';
import { LostVectors } from './index/lost-vectors.js';
import { VectorSamples } from './index/vector-samples.js';
import { Vectors } from './index/vectors.js';
import { Diary } from './tables/diary.js';
import { type DrawerChange, Drawers } from './tables/drawers.js';
import { Facts } from './tables/facts.js';
import { Forgetting } from './tables/forgetting.js';
import { countDrawers, countRooms, Listing, type RoomCount } from './tables/listing.js';
import { Priorities } from './tables/priorities.js';
import { Projects } from './tables/projects.js';
import { Reading } from './tables/reading.js';
import { Reembedding } from './tables/reembedding.js';
import { Runs } from './tables/runs.js';
import { Sources } from './tables/sources.js';
import { WakeUpRows } from './tables/wake-up.js';

/** Searches are over sooner. */
const CHECKPOINT_WAIT_MS = 250;
/** What is forgotten must leave the log, too: it is worth a wait. */
const ERASED_WAIT_MS = 5_000;
/** From so many drawers on, and from this share of all, the lexical index is rebuilt when they leave. */
const REINDEXED_FROM = 500;
const REINDEXED_SHARE = 0.02;

/** Set before the fields of `Palace`, which use it. */
class Connection {
  protected constructor(
    readonly folder: string,
    protected readonly sql: Sql,
  ) {}
}

/** The palace: one SQLite file with sources, their drawers, and the indexes to find them by. */
export class Palace extends Connection {
  readonly sources = new Sources(this.sql);
  readonly vectors = new Vectors(this.sql, () => this.model.dimension);
  readonly lostVectors = new LostVectors(this.sql, this.vectors);
  readonly vectorSamples = new VectorSamples(this.sql);
  readonly reembedding = new Reembedding(this.sql, this.vectors);
  readonly drawers = new Drawers(this.sql, this.vectors);
  readonly lexical = new LexicalIndex(this.sql);
  readonly projects = new Projects(this.sql);
  readonly runs = new Runs(this.sql);
  readonly reading = new Reading(this.sql);
  readonly priorities = new Priorities(this.sql);
  readonly listing = new Listing(this.sql);
  readonly wakeUp = new WakeUpRows(this.sql);
  readonly forgetting = new Forgetting(this.sql);
  readonly archive = new Archive(this.sql);
  readonly facts = new Facts(this.sql);
  readonly diary = new Diary(this.sql);

  /**
   * Opens read-only, as `openForReading` does; a palace of an earlier version is first brought up to date, with a backup
   * kept before.
   */
  static read(folder: string, options?: { waitMs?: number; migrate?: boolean }): Palace {
    return Palace.#over(folder, new Sql(openForReading(folder, options)));
  }

  /**
   * As `read`; undefined where there is no palace, nor more than the file of one: a run that was killed, or that the
   * disk refused, while it made one has left that.
   */
  static readIfAny(folder: string): Palace | undefined {
    try {
      return Palace.read(folder);
    } catch (error) {
      if (error instanceof UserError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  /** Opens read-only for `work`, which waits for nothing, and closes. Throws as `openForReading` does. */
  static look<T>(folder: string, work: (palace: Palace) => T): T {
    const palace = Palace.read(folder);
    try {
      return work(palace);
    } finally {
      palace.close();
    }
  }

  /** Opens for writing; made and migrated as needed. Throws as `openForWriting` does. */
  static write(folder: string, model: ModelIdentity, options: { backup?: boolean } = {}): Palace {
    return Palace.#over(folder, new Sql(openForWriting(folder, model, options)));
  }

  static #over(folder: string, sql: Sql): Palace {
    try {
      // A palace that does not name its model is refused here, not in the middle of a search.
      storedModel(sql);
      return new Palace(folder, sql);
    } catch (error) {
      sql.close();
      throw error;
    }
  }

  /** Whose vectors the palace holds now: another process may change it while this one is open. */
  get model(): ModelIdentity {
    return storedModel(this.sql);
  }

  /** All of `work` or nothing; nested calls join the outer transaction. */
  transaction<T>(work: () => T): T {
    return this.sql.write(work);
  }

  /** Runs `work`, which only reads, on one state of the palace, whatever a run files meanwhile. */
  snapshot<T>(work: () => T): T {
    return this.sql.read(work);
  }

  /** Files a source: text, drawers, lexical entries and vectors become visible together. */
  file(filing: Filing, run: RunStamp): DrawerChange {
    return this.sql.write(() => {
      const sourceId = this.sources.put(filing, run);
      this.sources.putText(sourceId, filing.pieces, filing.refreshVectors);
      const change = this.drawers.replace(sourceId, filing, run);
      this.sources.summarise(sourceId, filing.chars);
      return change;
    });
  }

  /** Records that an unchanged source lies elsewhere now or has another title; its drawers stay. */
  relocate(filed: FiledSource, source: SourceRecord): void {
    this.sql.write(() => {
      this.sources.relocate(source);
      this.drawers.retitle(filed.id, source.title ?? '', source.place);
    });
  }

  /** Removes a source with all that belongs to it. Returns the number of drawers that left. */
  remove(sourceId: number): number {
    return this.sql.write(() => {
      const removed = this.drawers.removeAll(sourceId);
      this.sources.remove(sourceId);
      return removed;
    });
  }

  /**
   * Removes sources with all that belongs to them, in one transaction. Where many drawers leave, the lexical index
   * is rebuilt: erasing the words of one of 100,000 drawers takes 3.5 ms, building the index 0.035 ms a drawer.
   *
   * @returns drawers that left
   */
  removeAll(sources: readonly { id: number; drawers: number }[], onRemoved: () => void = () => {}): number {
    const remove = (): number =>
      sources.reduce((drawers, { id }) => {
        const left = this.remove(id);
        onRemoved();
        return drawers + left;
      }, 0);
    const leaving = sources.reduce((sum, source) => sum + source.drawers, 0);
    const many = leaving >= REINDEXED_FROM && leaving > this.drawerCount() * REINDEXED_SHARE;
    return many ? this.lexical.rebuildAfter(remove) : this.sql.write(remove);
  }

  /**
   * Erases every source that has a tombstone: rows, words, the facts that were taken from it, vectors that nobody
   * else uses, free pages and the log. A run that is killed is completed by the next call.
   *
   * @returns drawers and facts that left; `logEmptied` is false when a reader kept the log, which still holds old
   *   pages
   */
  eraseForgotten(onProgress: (done: number, total: number) => void = () => {}): {
    drawers: number;
    facts: number;
    logEmptied: boolean;
  } {
    const all = this.forgetting.unerased();
    // While their titles are known.
    this.forgetting.scrubRuns(all.flatMap(({ origin, title }) => [origin, title ?? '']));
    // Before the sources: a run that was killed is known by those that are left.
    const facts = this.facts.erase(this.facts.ofForgotten(all.map(({ sourceKey }) => sourceKey)));
    let done = 0;
    const drawers = this.removeAll(all, () => {
      done += 1;
      onProgress(done, all.length);
    });
    return { drawers, facts, logEmptied: this.clearTraces() };
  }

  /**
   * Ends a run that took texts out for good: nothing of them stays in vectors, free pages or the log.
   *
   * @returns false when a reader kept the log, which still holds old pages
   */
  clearTraces(): boolean {
    dropStatistics(this.sql);
    // Vectors of sources whose filing was cut short may be those of a text that is gone.
    this.vectors.dropUnfiled();
    this.tidy();
    return emptyLog(this.sql, ERASED_WAIT_MS);
  }

  /**
   * Empties the log, which holds old pages of what a short write took out beside a run; what lets go of its vectors is
   * the end of a run.
   *
   * @returns false when a reader kept it
   */
  emptyLog(): boolean {
    return emptyLog(this.sql, CHECKPOINT_WAIT_MS);
  }

  rooms(): RoomCount[] {
    return countRooms(this.sql);
  }

  drawerCount(): number {
    return countDrawers(this.sql);
  }

  /** Size of the palace's file in bytes, without the write-ahead log. */
  bytes(): number {
    return statSync(palaceFile(this.folder)).size;
  }

  /**
   * Ends a run of writes: frees vectors that no drawer or model needs, returns free pages, empties the log.
   */
  tidy(): void {
    this.vectors.releaseUnused();
    this.reembedding.sweep();
    returnFreePages(this.sql);
    this.sql.exec('PRAGMA optimize');
    this.emptyLog();
  }

  /**
   * Rewrites the file without gaps; readers and what is filed are not disturbed, and a kill leaves the old one.
   * Giving back free pages is not enough: what leaves a palace leaves gaps within pages mostly (455 MB with a third of
   * the vectors gone: no free page, 362 MB afterwards, in 5 s). Takes room for two more copies while it works.
   *
   * @throws UserError `failed` when there is not that much room
   */
  compact(): void {
    this.vectors.compact(true);
    vacuum(this.sql, this.folder);
    this.emptyLog();
  }

  /** Rebuilds the lexical index and the codes from the rows; vectors are kept. */
  repair(): void {
    this.lexical.rebuild();
    this.vectors.codes.rebuild();
    this.tidy();
  }

  /** Rebuilds SQLite's own indexes from their tables. */
  reindex(): void {
    this.sql.exec('REINDEX');
  }

  /**
   * Rebuilds indexes and codes where they are too damaged for `reindex` and `repair`; `compact` must follow.
   *
   * @throws UserError `palace-damaged` when the rows are, too
   */
  replaceIndexes(): void {
    replaceDerived(this.sql, () => this.vectors.codes.rebuild());
  }

  /** Damage, and where indexes and rows disagree; see `CheckOptions` for what it costs. Changes nothing. */
  check(options?: CheckOptions): Check {
    const { lexical, vectors } = this;
    return checkPalace(this.sql, { lexical, vectors, dimension: this.model.dimension }, options);
  }

  /** A sign that drawers, lexical entries, vectors and codes disagree; takes a millisecond. */
  drift(): Warning | undefined {
    const { lexical, vectors } = this;
    return driftOf(this.sql, { lexical, vectors });
  }

  /** What its user should know of this palace: whose it is, where it lies, whether it is sound at a glance. */
  warnings(): Warning[] {
    const network = networkFileSystem(this.folder);
    return [
      ...ownershipWarnings(this.folder),
      ...(network === undefined ? [] : [networkWarning(this.folder, network)]),
      ...[this.drift()].flatMap((drift) => drift ?? []),
    ];
  }

  /** Bytes of the file that hold nothing, within pages too; some are left by any compaction. Walks the file. */
  unusedBytes(): number {
    return unusedBytes(this.sql);
  }

  close(): void {
    this.lexical.close();
    this.sql.close();
  }
}
