import { UserError } from '../core/errors.js';
import { Archive } from './db/archive.js';
import { bytesOf } from './db/copies.js';
import { networkWarning } from './db/file-system.js';
import { type Check, type CheckOptions, checkPalace, driftOf } from './db/integrity.js';
import { type ModelIdentity, storedModel } from './db/model.js';
import { openForReading, openForWriting } from './db/open.js';
import { ownershipWarnings, type Warning } from './db/ownership.js';
import { palaceFile } from './db/palace-file.js';
import type { FiledSource, Filing, RunStamp, SourceRecord } from './db/records.js';
import { replaceDerived } from './db/replace-derived.js';
import { dropSamples, emptyLog, forgetStatistics, returnFreePages, unusedBytes, vacuum } from './db/space.js';
import { Sql } from './db/sql.js';
import { DrawerVectors } from './index/drawer-vectors.js';
import { LexicalIndex } from './index/lexical.js';
import { Renewal } from './index/renewal.js';
import { Vectors } from './index/vectors.js';
import { ActivityTables } from './tables/activity.js';
import { Checkpoints } from './tables/checkpoints.js';
import { Collections } from './tables/collections.js';
import { Diary } from './tables/diary.js';
import { type DrawerChange, Drawers } from './tables/drawers.js';
import { Facts } from './tables/facts.js';
import { FileUses } from './tables/file-uses.js';
import { Forgetting } from './tables/forgetting.js';
import { countDrawers, countRooms, Listing, type RoomCount } from './tables/listing.js';
import { Priorities } from './tables/priorities.js';
import { Projects } from './tables/projects.js';
import { Reading } from './tables/reading.js';
import { RecentWork } from './tables/recent-work.js';
import { Reembedding } from './tables/reembedding.js';
import { Relations } from './tables/relations.js';
import { Runs } from './tables/runs.js';
import { Sources } from './tables/sources.js';
import { Suggestions } from './tables/suggestions.js';
import { Summaries } from './tables/summaries.js';
import { Tasks } from './tables/tasks.js';
import { WakeUpRows } from './tables/wake-up.js';

/** Longer than a search. */
const CHECKPOINT_WAIT_MS = 250;
/**
 * A smaller palace has no statistics. With those of a few drawers, SQLite scans tables that have grown since, and a connection
 * that is open keeps its plans: filing 900 notes took 58 s instead of 6, a search of 2,000 drawers 12 s. It plans well without.
 */
export const STATISTICS_FROM = 1_000;
/** Longer, because forgotten text must leave the WAL, too. */
const ERASED_WAIT_MS = 5_000;
/** The lexical index is rebuilt or packed when at least this many drawers, and this share of all, are removed. */
const REINDEXED_FROM = 500;
const REINDEXED_SHARE = 0.02;

/** A base class, so that `sql` is set before the fields of `Palace` are. */
class Connection {
  protected constructor(
    readonly folder: string,
    protected readonly sql: Sql,
  ) {}
}

/** The palace: one SQLite file with sources, their drawers, and indexes. */
export class Palace extends Connection {
  readonly sources = new Sources(this.sql);
  readonly vectors = new Vectors(this.sql, () => this.model.dimension);
  readonly drawerVectors = new DrawerVectors(this.sql, this.vectors);
  readonly reembedding = new Reembedding(this.sql, this.vectors);
  readonly collections = new Collections(this.sql);
  readonly drawers = new Drawers(this.sql, this.vectors, this.collections);
  readonly lexical = new LexicalIndex(this.sql);
  readonly renewal = new Renewal(this.sql);
  readonly projects = new Projects(this.sql);
  readonly runs = new Runs(this.sql);
  readonly relations = new Relations(this.sql);
  readonly reading = new Reading(this.sql);
  readonly priorities = new Priorities(this.sql);
  readonly listing = new Listing(this.sql);
  readonly wakeUp = new WakeUpRows(this.sql);
  readonly forgetting = new Forgetting(this.sql);
  readonly archive = new Archive(this.sql);
  readonly facts = new Facts(this.sql);
  readonly diary = new Diary(this.sql);
  readonly tasks = new Tasks(this.sql);
  readonly checkpoints = new Checkpoints(this.sql);
  readonly summaries = new Summaries(this.sql);
  readonly suggestions = new Suggestions(this.sql);
  readonly activity = new ActivityTables(this.sql);
  readonly fileUses = new FileUses(this.sql);
  readonly work = new RecentWork(this.sql);

  /** Opens read-only, as `openForReading` does. A palace of an earlier version is first backed up and migrated. */
  static read(folder: string, options?: { waitMs?: number; migrate?: boolean }): Palace {
    return Palace.#over(folder, new Sql(openForReading(folder, options)));
  }

  /** As `read`; undefined if there is no palace, or only an empty file, which a run left that was killed at its start. */
  static readIfAny(folder: string): Palace | undefined {
    try {
      return Palace.read(folder);
    } catch (error) {
      if (error instanceof UserError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  /** Opens read-only for `work`, which is synchronous, and closes. Throws as `openForReading` does. */
  static look<T>(folder: string, work: (palace: Palace) => T): T {
    const palace = Palace.read(folder);
    try {
      return work(palace);
    } finally {
      palace.close();
    }
  }

  /** Opens for writing; creates and migrates as needed. Throws as `openForWriting` does. */
  static write(folder: string, model: ModelIdentity, options: { backup?: boolean } = {}): Palace {
    const { database, claim } = openForWriting(folder, model, options);
    return Palace.#over(folder, new Sql(database, claim));
  }

  static #over(folder: string, sql: Sql): Palace {
    try {
      // Refuses a palace without a model here rather than during a search.
      storedModel(sql);
      return new Palace(folder, sql);
    } catch (error) {
      sql.close();
      throw error;
    }
  }

  /** The current model of the vectors. Another process may change it while the palace is open. */
  get model(): ModelIdentity {
    return storedModel(this.sql);
  }

  /** Runs `work` in a transaction; nested calls join the outer one. */
  transaction<T>(work: () => T): T {
    return this.sql.write(work);
  }

  /** Runs `work`, which only reads, on one state of the palace. */
  snapshot<T>(work: () => T): T {
    return this.sql.read(work);
  }

  /**
   * Files a source: text, drawers and lexical entries become visible together. So do its vectors: at once if all of its
   * texts are embedded, otherwise with the last one that `vectors.keep` stores.
   */
  file(filing: Filing, run: RunStamp): DrawerChange {
    return this.sql.write(() => {
      const sourceId = this.sources.put(filing, run);
      this.relations.put(sourceId, filing.source);
      this.sources.putText(sourceId, filing.pieces, filing.refreshVectors);
      const change = this.drawers.replace(sourceId, filing, run);
      this.sources.summarise(sourceId, filing);
      if (filing.activity !== undefined)
        this.activity.put(
          sourceId,
          filing.activity,
          filing.drafts.map(({ start }) => start),
        );
      else if (filing.source.kind === 'conversation') this.activity.clear(sourceId);
      return change;
    });
  }

  /** Records a new place, title or time of an unchanged source; its drawers stay. @param day its new date, `YYYY-MM-DD` */
  relocate(filed: FiledSource, source: SourceRecord, day?: string): void {
    this.sql.write(() => {
      this.sources.relocate(source, day);
      this.relations.put(filed.id, source);
      this.drawers.retitle(filed.id, source.title ?? '', source.place, day);
    });
  }

  /** Removes a source with its drawers. Returns the number of removed drawers. */
  remove(sourceId: number): number {
    return this.sql.write(() => {
      const removed = this.drawers.removeAll(sourceId);
      this.activity.clear(sourceId);
      this.relations.clear(sourceId);
      this.sources.remove(sourceId);
      return removed;
    });
  }

  /**
   * Removes sources with their drawers, in one transaction. If many drawers are removed, the lexical index is rebuilt:
   * in a palace of 100,000 drawers, erasing the words of one takes 3.5 ms, rebuilding the index 0.035 ms per drawer.
   */
  removeAll(
    sources: readonly { id: number; drawers: number }[],
    onProgress: (done: number, total: number) => void = () => {},
  ): number {
    const remove = (): number =>
      sources.reduce((drawers, { id }, index) => {
        const removed = this.remove(id);
        onProgress(index + 1, sources.length);
        return drawers + removed;
      }, 0);
    const leaving = sources.reduce((sum, source) => sum + source.drawers, 0);
    if (!this.#isMany(leaving)) return this.sql.write(remove);
    const removed = this.lexical.rebuildAfter(remove);
    this.drawers.removed = 0;
    return removed;
  }

  #isMany(removed: number): boolean {
    return removed >= REINDEXED_FROM && removed > this.drawerCount() * REINDEXED_SHARE;
  }

  /**
   * Erases every source that has a tombstone: rows, words, facts that were taken from it, unused vectors, free pages and
   * the WAL. After a kill, the next call completes the work.
   *
   * @returns numbers of erased drawers and facts; `logEmptied` is what `clearTraces` returns
   */
  eraseForgotten(onProgress?: (done: number, total: number) => void) {
    const doomed = this.facts.ofForgotten(this.forgetting.unerased().map(({ sourceKey }) => sourceKey));
    this.forgetting.addRecordTombstones(doomed, new Date().toISOString());
    const all = this.forgetting.unerased();
    // Needs the titles, so before the sources are removed.
    this.runs.dropSkipsOf(all.flatMap(({ origin, title }) => [origin, title ?? '']));
    // Before the sources, so that a killed run is completed: the remaining sources are found again.
    const facts = this.facts.erase(this.facts.ofForgotten(all.map(({ sourceKey }) => sourceKey)));
    const drawers = this.removeAll(all, onProgress);
    return { drawers, facts, logEmptied: this.clearTraces() };
  }

  /**
   * Ends a run that erased texts: removes their traces from vectors, free pages and the WAL.
   *
   * @returns false when a reader kept the WAL, which still contains old pages
   */
  clearTraces(): boolean {
    dropSamples(this.sql);
    // They may belong to an erased text.
    this.vectors.pending.dropUnfiled();
    this.tidy();
    return emptyLog(this.sql, ERASED_WAIT_MS);
  }

  /** Empties the WAL, which contains old pages of removed texts. Returns false when a reader kept it. */
  emptyLog(): boolean {
    return emptyLog(this.sql, CHECKPOINT_WAIT_MS);
  }

  rooms(): RoomCount[] {
    return countRooms(this.sql);
  }

  drawerCount(): number {
    return countDrawers(this.sql);
  }

  /** Size of the palace in bytes, with its write-ahead log. */
  bytes(): number {
    return bytesOf(palaceFile(this.folder));
  }

  /** Renews SQLite's statistics of tables that have grown tenfold. Those of a small palace are removed. */
  optimize(): void {
    if (this.drawerCount() < STATISTICS_FROM) forgetStatistics(this.sql);
    else this.sql.exec('PRAGMA optimize');
  }

  /** Ends a run of writes: frees unused vectors, returns free pages, empties the WAL. */
  tidy(): void {
    this.vectors.releaseUnused();
    this.reembedding.sweep();
    if (this.#isMany(this.drawers.removed)) {
      this.lexical.pack();
      this.drawers.removed = 0;
    }
    returnFreePages(this.sql);
    this.optimize();
    this.emptyLog();
  }

  /**
   * Rewrites the file without gaps. Readers are not disturbed, and a kill leaves the old file. Returning free pages is
   * not enough, as removed rows mostly leave gaps within pages (455 MB with a third of the vectors removed: not one free
   * page; 362 MB afterwards, in 5 s). Needs disk space for two more copies.
   *
   * @throws UserError `failed` without that disk space
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

  reindex(): void {
    this.sql.exec('REINDEX');
  }

  /**
   * Rebuilds indexes and codes that are too damaged for `reindex` and `repair`, and empties what is derived from texts;
   * `compact` must follow.
   *
   * @throws UserError `palace-damaged` when rows are damaged, too
   */
  replaceIndexes(): void {
    replaceDerived(this.sql, () => {
      this.vectors.codes.rebuild();
      this.activity.clearAll();
    });
  }

  /** Looks for damage, and for differences between indexes and rows. Changes nothing. For the cost see `CheckOptions`. */
  check(options?: CheckOptions): Check {
    return checkPalace(this.sql, this, options);
  }

  /** A quick check whether drawers, lexical entries, vectors and codes agree; takes a millisecond. */
  drift(): Warning | undefined {
    return driftOf(this.sql, this);
  }

  warnings(): Warning[] {
    const others = [networkWarning(this.folder), this.drift()].filter((warning) => warning !== undefined);
    return [...ownershipWarnings(this.folder), ...others];
  }

  /** Unused bytes of the file, including gaps within pages; compaction leaves some. Walks the file. */
  unusedBytes(): number {
    return unusedBytes(this.sql);
  }

  close(): void {
    this.lexical.close();
    this.sql.close();
  }
}
