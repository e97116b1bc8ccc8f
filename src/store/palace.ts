import { statSync } from 'node:fs';
import { type DrawerChange, Drawers } from './drawers.js';
import { LexicalIndex } from './lexical.js';
import { type ModelIdentity, openForReading, openForWriting, palaceFile } from './open.js';
import { Projects } from './projects.js';
import type { DrawerDraft, FiledSource, SourceRecord, TextPiece } from './records.js';
import { Runs } from './runs.js';
import { Sources } from './sources.js';
import { Sql } from './sql.js';
import {
  countDrawers,
  countRooms,
  type DrawerView,
  drawersById,
  drawersByVector,
  type RoomCount,
} from './status.js';
import { Vectors } from './vectors.js';

/** Everything of a source that becomes visible together. */
export interface Filing {
  source: SourceRecord;
  messages: readonly string[];
  pieces: readonly TextPiece[];
  drafts: readonly DrawerDraft[];
  /** Length of the whole text in UTF-16 units. */
  chars: number;
  addedBy: string;
  refreshVectors: boolean;
}

/** The run that files: its id in the palace and the moment written beside what it files. */
export interface RunStamp {
  id: number;
  now: string;
}

/** Free pages are given back to the file system from this share of the file on. */
const VACUUM_SHARE = 0.1;

/**
 * The palace: one SQLite file that keeps sources, their drawers, and how to find them again. The only place
 * that knows its SQL.
 */
export class Palace {
  readonly folder: string;
  readonly model: ModelIdentity;
  readonly sources: Sources;
  readonly drawers: Drawers;
  readonly vectors: Vectors;
  readonly lexical: LexicalIndex;
  readonly projects: Projects;
  readonly runs: Runs;
  readonly #sql: Sql;

  private constructor(folder: string, sql: Sql, model: ModelIdentity) {
    this.folder = folder;
    this.model = model;
    this.#sql = sql;
    this.sources = new Sources(sql);
    this.vectors = new Vectors(sql, model.dimension);
    this.drawers = new Drawers(sql, this.vectors);
    this.lexical = new LexicalIndex(sql);
    this.projects = new Projects(sql);
    this.runs = new Runs(sql);
  }

  /** Opens read-only. Throws as `openForReading` does. */
  static read(folder: string): Palace {
    const sql = new Sql(openForReading(folder));
    return new Palace(folder, sql, modelOf(sql));
  }

  /** Opens for writing; made and migrated as needed. Throws as `openForWriting` does. */
  static write(folder: string, model: ModelIdentity): Palace {
    return new Palace(folder, new Sql(openForWriting(folder, model)), model);
  }

  /** All of `work` or nothing; nested calls join the outer transaction. */
  transaction<T>(work: () => T): T {
    return this.#sql.write(work);
  }

  /** Files a source: text, drawers, lexical entries and vectors become visible together. */
  file(filing: Filing, run: RunStamp): DrawerChange {
    return this.#sql.write(() => {
      const { source } = filing;
      const sourceId = this.sources.put(source, filing.messages, run);
      this.sources.putText(sourceId, filing.pieces);
      const change = this.drawers.replace(
        {
          sourceId,
          sourceKey: source.sourceKey,
          title: source.title ?? '',
          place: source.place,
          addedBy: filing.addedBy,
          refreshVectors: filing.refreshVectors,
          run,
        },
        filing.drafts,
      );
      this.sources.summarise(sourceId, filing.chars);
      return change;
    });
  }

  /** Records that an unchanged source lies elsewhere now or has another title; its drawers stay. */
  relocate(filed: FiledSource, source: SourceRecord): void {
    this.#sql.write(() => {
      this.sources.relocate(source);
      this.drawers.retitle(filed.id, source.title ?? '', source.place);
    });
  }

  /** Removes a source with all that belongs to it. Returns the number of drawers that left. */
  remove(sourceId: number): number {
    return this.#sql.write(() => {
      const removed = this.drawers.removeAll(sourceId);
      this.sources.remove(sourceId);
      return removed;
    });
  }

  rooms(): RoomCount[] {
    return countRooms(this.#sql);
  }

  drawerCount(): number {
    return countDrawers(this.#sql);
  }

  drawersById(ids: readonly number[]): DrawerView[] {
    return drawersById(this.#sql, ids);
  }

  drawersByVector(vectorId: number, among: { wing?: string; room?: string }, limit: number): DrawerView[] {
    return drawersByVector(this.#sql, vectorId, among, limit);
  }

  /** Size of the palace's file in bytes, without the write-ahead log. */
  bytes(): number {
    return statSync(palaceFile(this.folder)).size;
  }

  /**
   * Ends a run of writes: frees vectors that no drawer needs, rebuilds the vector index when much of it is
   * free, returns free pages, empties the log.
   */
  tidy(): void {
    const { database } = this.#sql;
    this.vectors.releaseUnused();
    this.vectors.compact();
    const pages = Number(database.pragma('page_count', { simple: true }));
    const free = Number(database.pragma('freelist_count', { simple: true }));
    if (free > pages * VACUUM_SHARE) database.pragma('incremental_vacuum');
    database.pragma('optimize');
    // A reader may hold the log open: then it is emptied by a later run.
    database.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Rebuilds both indexes from the rows; vectors are kept. */
  repair(): void {
    this.#sql.write(() => {
      this.#sql.database.exec("INSERT INTO lexical_index(lexical_index) VALUES ('rebuild')");
    });
    this.vectors.compact(true);
    this.tidy();
  }

  /** What SQLite and the lexical index find wrong; empty when all is well. */
  problems(): string[] {
    const { database } = this.#sql;
    const rows = database.pragma('integrity_check') as { integrity_check: string }[];
    const problems = rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    const vectors = database
      .prepare<[], { n: number }>(
        `SELECT (SELECT count(*) FROM drawers d LEFT JOIN vectors v ON v.id = d.vector_id WHERE v.text_hash IS NULL)
              + (SELECT abs((SELECT count(*) FROM vectors) - (SELECT count(*) FROM vector_index))) AS n`,
      )
      .get();
    if (vectors !== undefined && vectors.n > 0)
      problems.push(`${vectors.n} drawers or slots without a vector`);
    const indexed = this.lexical.size();
    const stored = database.prepare<[], { n: number }>('SELECT count(*) AS n FROM drawers').get()?.n ?? 0;
    if (indexed !== stored) problems.push(`${stored} drawers, ${indexed} lexical entries`);
    return problems;
  }

  close(): void {
    this.lexical.close();
    this.#sql.database.close();
  }
}

function modelOf(sql: Sql): ModelIdentity {
  const row = sql.prepare<{ value: string }>("SELECT value FROM meta WHERE key = 'model'").get();
  const match = /^(?<id>.+)@(?<revision>.+)\/(?<dimension>\d+)$/.exec(row?.value ?? '');
  const { id, revision, dimension } = match?.groups ?? {};
  if (id === undefined || revision === undefined) throw new Error('the palace does not name its model');
  return { id, revision, dimension: Number(dimension) };
}
