import { sha256 } from '../../core/hash.js';
import { shortPlace, shortTitle } from '../../core/short-names.js';
import type { DrawerDraft, Filing, RunStamp, SourceRecord } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { bigramsOf } from '../index/bigrams.js';
import { dateWords } from '../index/date-words.js';
import type { Vectors } from '../index/vectors.js';
import { successorOf } from './carry-over.js';

export interface DrawerChange {
  added: number;
  removed: number;
  kept: number;
}

interface DrawerRow {
  id: number;
  drawerId: string;
  /** Set by the user, like `pinned`. */
  setPriority: string | null;
  pinned: number;
}

/** Columns that change when a drawer moves within its source. */
const MOVED = `vector_id, chunk_index, char_start, char_end, line_start, line_end, content_date, role, title, context, place,
  dates, bigrams`;
const BEFORE = MOVED.replace(/\w+/g, 'drawers.$&');
const NOW = MOVED.replace(/\w+/g, 'excluded.$&');

/** Length of the hexadecimal part of a drawer's id. */
const ID_DIGITS = 24;

/**
 * The ids of a source's drawers in order. An id is derived from the source, the text, and its occurrence (0 for the first)
 * among identical texts, not from its position.
 */
function drawerIds(sourceKey: string, texts: readonly string[]): string[] {
  const occurrences = new Map<string, number>();
  return texts.map((text) => {
    const occurrence = occurrences.get(text) ?? 0;
    occurrences.set(text, occurrence + 1);
    return `drawer_${sha256(`${sourceKey}\0${sha256(text)}\0${occurrence}`).slice(0, ID_DIGITS)}`;
  });
}

/** Every change must run inside the transaction that files the source. */
export class Drawers {
  constructor(
    private readonly sql: Sql,
    private readonly vectors: Vectors,
  ) {}

  /** In order. */
  textsOf(sourceId: number): string[] {
    return this.sql.values<string>(
      'SELECT text FROM drawers WHERE source_id = ? ORDER BY chunk_index',
      sourceId,
    );
  }

  /**
   * Replaces the drawers of a source. An unchanged text keeps its drawer, even if it moved. The user's marks stay with
   * the drawer, or move to its successor.
   */
  replace(sourceId: number, filing: Filing, run: RunStamp): DrawerChange {
    const { source, drafts } = filing;
    const before = new Map(this.#rowsOf(sourceId).map((row) => [row.drawerId, row]));
    const texts = drafts.map((draft) => draft.text);
    const ids = drawerIds(source.sourceKey, texts);
    const wanted = new Set(ids);
    const gone = [...before.values()].filter((row) => !wanted.has(row.drawerId));
    this.#delete(gone);
    let added = 0;
    drafts.forEach((draft, index) => {
      const id = ids[index];
      if (id === undefined) return;
      const vectorId = this.vectors.file(draft.vectorHash, filing.refreshVectors);
      const { addedBy } = filing;
      this.#put(draft, source, { id, sourceId, vectorId, index, addedBy, runId: run.id, now: run.now });
      if (!before.has(id)) added += 1;
    });
    this.vectors.settle(drafts.map((draft) => draft.vectorHash));
    this.#moveMarks(gone, [...before.keys()], ids);
    return { added, removed: gone.length, kept: drafts.length - added };
  }

  /** Removes all drawers of a source. */
  removeAll(sourceId: number): number {
    const rows = this.#rowsOf(sourceId);
    this.#delete(rows);
    return rows.length;
  }

  /** Updates a changed title and place in the lexical index. */
  retitle(sourceId: number, wholeTitle: string, wholePlace: string): void {
    const [title, place] = [shortTitle(wholeTitle), shortPlace(wholePlace)];
    const stale = this.sql.all<{ id: number; text: string; context: string }>(
      'SELECT id, text, context FROM drawers WHERE source_id = ? AND (title <> ? OR place <> ?)',
      sourceId,
      title,
      place,
    );
    const update = this.sql.prepare('UPDATE drawers SET title = ?, place = ?, bigrams = ? WHERE id = ?');
    for (const { id, text, context } of stale)
      update.run(title, place, bigramsOf(text, title, context, place), id);
  }

  /** If two drawers have the same successor, the marks of the first one count. */
  #moveMarks(gone: readonly DrawerRow[], before: readonly string[], after: readonly string[]): void {
    const update = this.sql.prepare(
      'UPDATE drawers SET set_priority = coalesce(set_priority, ?), pinned = max(pinned, ?) WHERE drawer_id = ?',
    );
    for (const { drawerId: id, setPriority, pinned } of gone) {
      if (setPriority === null && pinned === 0) continue;
      const successor = successorOf(id, before, after);
      if (successor !== undefined) update.run(setPriority, pinned, successor);
    }
  }

  #rowsOf(sourceId: number): DrawerRow[] {
    return this.sql.all<DrawerRow>(
      `SELECT id, drawer_id AS drawerId, set_priority AS setPriority, pinned FROM drawers
         WHERE source_id = ? ORDER BY chunk_index`,
      sourceId,
    );
  }

  #delete(rows: readonly DrawerRow[]): void {
    const remove = this.sql.prepare('DELETE FROM drawers WHERE id = ?');
    for (const row of rows) remove.run(row.id);
  }

  /** Inserts a drawer, or updates its position. */
  #put(draft: DrawerDraft, source: SourceRecord, row: Record<string, string | number>): void {
    const { vectorHash: _, ...own } = draft;
    // Shortened, because every drawer of the source has a copy.
    const [title, place] = [shortTitle(source.title ?? ''), shortPlace(source.place)];
    const dates = dateWords(draft.contentDate);
    const bigrams = bigramsOf(draft.text, title, draft.context, place);
    this.sql.run(
      `INSERT INTO drawers(drawer_id, source_id, vector_id, chunk_index, char_start, char_end, line_start, line_end,
         content_date, role, added_by, run_id, filed_at, text, title, context, place, dates, bigrams)
       VALUES (@id, @sourceId, @vectorId, @index, @start, @end, @lineStart, @lineEnd,
         @contentDate, @role, @addedBy, @runId, @now, @text, @title, @context, @place, @dates, @bigrams)
       ON CONFLICT(drawer_id) DO UPDATE SET (${MOVED}) = (${NOW})
       WHERE (${BEFORE}) IS NOT (${NOW})`,
      { ...own, ...row, title, place, dates, bigrams },
    );
  }
}
