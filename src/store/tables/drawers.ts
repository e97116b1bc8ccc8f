import { sha256 } from '../../core/hash.js';
import { shortPlace, shortTitle } from '../../core/short-names.js';
import type { DrawerDraft, Filing, RunStamp } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { derivedWords } from '../index/bigrams.js';
import type { PendingText } from '../index/pending.js';
import type { Vectors } from '../index/vectors.js';
import type { Collections } from './collections.js';

export interface DrawerChange {
  added: number;
  removed: number;
  kept: number;
  /** Texts that need a vector since this change. */
  pending: PendingText[];
}

/** Columns that change when a drawer moves within its source. */
const MOVED = `vector_id, chunk_index, char_start, char_end, line_start, line_end, content_date, role, title, context, place,
  dates, bigrams`;
const BEFORE = MOVED.replace(/\w+/g, 'drawers.$&');
const NOW = MOVED.replace(/\w+/g, 'excluded.$&');
const COLUMNS = `drawer_id, source_id, vector_id, chunk_index, char_start, char_end, line_start, line_end, content_date,
  role, added_by, run_id, filed_at, text, title, context, place, dates, bigrams`;
const ROW = `(${COLUMNS.replace(/\w+/g, '?')})`;
/**
 * Statements that insert drawers, or update their positions; the first that is not too long is used. The lexical index writes
 * what each statement adds, and merges the more often, the less that is.
 */
const PUTS = [64, 16, 4, 1].map((rows) => ({
  rows,
  put: `INSERT INTO drawers(${COLUMNS}) VALUES ${Array(rows).fill(ROW).join(', ')}
    ON CONFLICT(drawer_id) DO UPDATE SET (${MOVED}) = (${NOW}) WHERE (${BEFORE}) IS NOT (${NOW})`,
}));

/** Length of the hexadecimal part of a drawer's id. */
const ID_DIGITS = 24;

/**
 * The ids of a source's drawers in order. An id is derived from the source, the text, and its occurrence (0 for the first)
 * among identical texts, not from its position.
 */
export function drawerIds(sourceKey: string, texts: readonly string[]): string[] {
  const occurrences = new Map<string, number>();
  return texts.map((text) => {
    const occurrence = occurrences.get(text) ?? 0;
    occurrences.set(text, occurrence + 1);
    return `drawer_${sha256(`${sourceKey}\0${sha256(text)}\0${occurrence}`).slice(0, ID_DIGITS)}`;
  });
}

/** Every change must run inside the transaction that files the source. */
export class Drawers {
  removed = 0;

  constructor(
    private readonly sql: Sql,
    private readonly vectors: Vectors,
    private readonly collections: Collections,
  ) {}

  /** In order. */
  textsOf(sourceId: number): string[] {
    return this.sql.values<string>(
      'SELECT text FROM drawers WHERE source_id = ? ORDER BY chunk_index',
      sourceId,
    );
  }

  /**
   * Replaces the drawers of a source. An unchanged text keeps its drawer, even if it moved. The user's marks and its
   * collections stay with the drawer, or move to its successor.
   */
  replace(sourceId: number, filing: Filing, run: RunStamp): DrawerChange {
    const { source, drafts, addedBy, refreshVectors } = filing;
    const rows = this.sql.all<{ id: number; drawerId: string; setPriority: string | null; pinned: number }>(
      `SELECT id, drawer_id AS drawerId, set_priority AS setPriority, pinned FROM drawers
         WHERE source_id = ? ORDER BY chunk_index`,
      sourceId,
    );
    const texts = drafts.map((draft) => draft.text);
    const ids = drawerIds(source.sourceKey, texts);
    const wanted = new Set(ids);
    const gone = rows.filter((row) => !wanted.has(row.drawerId));
    const collected = this.collections.marksOf(gone.map(({ drawerId }) => drawerId));
    for (const { id } of gone) this.sql.run('DELETE FROM drawers WHERE id = ?', id);
    // Shortened, because every drawer of the source has a copy.
    const [title, place] = [shortTitle(source.title ?? ''), shortPlace(source.place)];
    const pending: PendingText[] = [];
    const rowOf = ({ vectorHash: hash, ...draft }: DrawerDraft, index: number) => {
      const slot = this.vectors.slot(hash, refreshVectors);
      const { text, start, end, lineStart, lineEnd, context, contentDate, role } = draft;
      if (slot.pending) pending.push({ hash, text });
      const position = [slot.id, index, start, end, lineStart, lineEnd, contentDate, role];
      const { dates, bigrams } = derivedWords({ text, title, context, place }, contentDate);
      const words = [text, title, context, place, dates, bigrams];
      return [ids[index], sourceId, ...position, addedBy, run.id, run.now, ...words];
    };
    let at = 0;
    for (const { rows, put } of PUTS) {
      for (; at + rows <= drafts.length; at += rows) {
        this.sql.run(put, ...drafts.slice(at, at + rows).flatMap((draft, i) => rowOf(draft, at + i)));
      }
    }
    this.vectors.publish(sourceId);
    const before = rows.map((row) => row.drawerId);
    // If two drawers have the same successor, the marks of the first one count.
    for (const { drawerId, setPriority, pinned } of gone) {
      if (setPriority === null && pinned === 0) continue;
      this.sql.run(
        'UPDATE drawers SET set_priority = coalesce(set_priority, ?), pinned = max(pinned, ?) WHERE drawer_id = ?',
        setPriority,
        pinned,
        successorOf(drawerId, before, ids),
      );
    }
    for (const mark of collected) {
      const drawer_id = successorOf(mark.drawer_id, before, ids);
      if (drawer_id !== undefined) this.collections.mark({ ...mark, drawer_id });
    }
    const kept = rows.length - gone.length;
    this.removed += gone.length;
    return { added: drafts.length - kept, removed: gone.length, kept, pending };
  }

  /** Removes all drawers of a source. */
  removeAll(sourceId: number): number {
    const { changes } = this.sql.run('DELETE FROM drawers WHERE source_id = ?', sourceId);
    this.removed += changes;
    return changes;
  }

  /** Updates a changed title and place, and the day if one is given, also in the lexical index. */
  retitle(sourceId: number, wholeTitle: string, wholePlace: string, newDay?: string): void {
    const facts = { title: shortTitle(wholeTitle), place: shortPlace(wholePlace) };
    const stale = this.sql.all<{ id: number; text: string; context: string; day: string | null }>(
      `SELECT id, text, context, coalesce(@newDay, content_date) AS day FROM drawers
         WHERE source_id = @sourceId
           AND (title <> @title OR place <> @place OR content_date IS NOT coalesce(@newDay, content_date))`,
      { ...facts, sourceId, newDay: newDay ?? null },
    );
    for (const { id, text, context, day } of stale) {
      this.sql.run(
        `UPDATE drawers SET title = @title, place = @place, content_date = @day, dates = @dates, bigrams = @bigrams
           WHERE id = @id`,
        { ...facts, id, day, ...derivedWords({ text, context, ...facts }, day) },
      );
    }
  }
}

/**
 * The drawer that replaces one whose text changed: the new drawer with the same distance from the nearest kept drawer
 * before it, else after it. Undefined if the text was removed. `before` and `after` are a source's ids in order.
 */
export function successorOf(
  gone: string,
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  return counterpart(gone, before, after) ?? counterpart(gone, [...before].reverse(), [...after].reverse());
}

function counterpart(gone: string, before: readonly string[], after: readonly string[]): string | undefined {
  const places = new Map(after.map((id, index) => [id, index]));
  const from = before.indexOf(gone);
  let anchor = from - 1;
  while (anchor >= 0 && !places.has(before[anchor] ?? '')) anchor -= 1;
  const stayed = anchor < 0 ? -1 : (places.get(before[anchor] ?? '') ?? -1);
  const successor = after[stayed + from - anchor];
  return successor === undefined || before.includes(successor) ? undefined : successor;
}
