import { inflateRawSync } from 'node:zlib';
import { parseStrings } from '../db/json.js';
import type { Sql } from '../db/sql.js';
import { type DrawerView, VIEW } from '../db/status.js';
import { CONTENT_DAY } from '../index/filter.js';

/** A source as a reader sees it. */
export interface SourceView {
  id: number;
  sourceKey: string;
  sourceFile: string;
  origin: string;
  kind: string;
  wing: string;
  room: string;
  title: string | null;
  sessionId: string | null;
  directory: string | null;
  mtimeMs: number;
  /** Length of the whole text in UTF-16 units. */
  chars: number;
  drawers: number;
}

/** What a source holds of one day. */
export interface SourceOfDay extends SourceView {
  /** How many of its drawers are of that day. */
  drawersOfDay: number;
  /** The first of them. */
  firstDrawerId: string;
}

/** Where a stretch of a source's text is dated, by drawers. */
export interface DatedStretch {
  charStart: number;
  contentDate: string;
}

/** `SourceView` as the columns of a query over `sources s`. */
export const SOURCE = `
  s.id, s.source_key AS sourceKey, s.source_file AS sourceFile, s.origin, s.kind, s.wing, s.room, s.title,
  s.session_id AS sessionId, s.directory, s.source_mtime AS mtimeMs, s.chars, s.drawers`;

/** What people read in the palace, once they know what they want to read. */
export class Reading {
  constructor(private readonly sql: Sql) {}

  /** Drawers whose id begins so, in the order of their ids. */
  drawersByPrefix(prefix: string, limit: number): DrawerView[] {
    return this.sql.all<DrawerView>(
      `${VIEW} WHERE d.drawer_id >= @prefix AND d.drawer_id < @prefix || char(1114111)
         ORDER BY d.drawer_id LIMIT @limit`,
      { prefix, limit },
    );
  }

  /** Drawers of a source whose `chunkIndex` lies between both, which belong to it, in order. */
  drawersBetween(sourceId: number, first: number, last: number): DrawerView[] {
    return this.sql.all<DrawerView>(
      `${VIEW} WHERE d.source_id = ? AND d.chunk_index BETWEEN ? AND ? ORDER BY d.chunk_index`,
      sourceId,
      first,
      last,
    );
  }

  /** The source of this key, session id, `source_file` or origin. Several when a session id is that of several. */
  sourcesNamed(name: string): SourceView[] {
    return this.sql.all<SourceView>(
      `SELECT ${SOURCE} FROM sources s
         WHERE s.source_key = @name OR s.session_id = @name OR s.source_file = @name OR s.origin = @name
         ORDER BY s.source_file`,
      { name },
    );
  }

  /** Sources whose `source_file` ends with a slash and this. */
  sourcesEndingWith(tail: string, limit: number): SourceView[] {
    return this.sql.all<SourceView>(
      `SELECT ${SOURCE} FROM sources s WHERE substr(s.source_file, -length(@tail)) = @tail
         ORDER BY s.source_file LIMIT @limit`,
      { tail: `/${tail}`, limit },
    );
  }

  /**
   * The drawer that holds what had this name elsewhere, before it was imported. Looks through the names of all that was
   * imported.
   *
   * @param prefix of the keys of imported sources
   */
  drawerAliased(name: string, prefix: string): DrawerView | undefined {
    const rows = this.sql.prepare<{ id: number; names: Buffer }>(
      `SELECT id, messages AS names FROM sources
       WHERE substr(source_key, 1, length(@prefix)) = @prefix AND messages IS NOT NULL`,
    );
    const written = JSON.stringify(`${name}@`).slice(1, -1);
    for (const { id, names } of rows.all({ prefix })) {
      const text = inflateRawSync(names).toString('utf8');
      if (!text.includes(written)) continue;
      const alias = parseStrings(text, 'list of names').find(
        (each) => each.slice(0, each.lastIndexOf('@')) === name,
      );
      const at = alias === undefined ? Number.NaN : Number(alias.slice(name.length + 1));
      const drawer = this.sql.get<DrawerView>(
        `${VIEW} WHERE d.source_id = ? AND d.char_end > ? ORDER BY d.chunk_index LIMIT 1`,
        id,
        at,
      );
      if (drawer !== undefined) return drawer;
    }
    return undefined;
  }

  source(id: number): SourceView | undefined {
    return this.sql.get<SourceView>(`SELECT ${SOURCE} FROM sources s WHERE s.id = ?`, id);
  }

  /**
   * Other sources with content of a day, conversations first, then those with most of it, and how many there
   * are altogether. A drawer without a date of its own is of the day its source changed last (UTC).
   */
  sourcesOfDay(day: string, exceptSource: number, limit: number): { sources: SourceOfDay[]; total: number } {
    const from = Date.parse(`${day}T00:00:00.000Z`);
    const rows = this.sql.all<SourceOfDay & { total: number }>(
      `WITH of_day AS (
           SELECT source_id, id, chunk_index FROM drawers WHERE content_date = @day
           UNION ALL
           SELECT d.source_id, d.id, d.chunk_index
           FROM sources s JOIN drawers d ON d.source_id = s.id AND d.content_date IS NULL
           WHERE s.source_mtime >= @from AND s.source_mtime < @from + 86400000 AND ${CONTENT_DAY} = @day
         ), counted AS (
           SELECT source_id, count(*) AS n, min(chunk_index) AS first FROM of_day
           WHERE source_id <> @exceptSource GROUP BY source_id
         )
         SELECT ${SOURCE}, c.n AS drawersOfDay, count(*) OVER () AS total,
           (SELECT drawer_id FROM drawers d WHERE d.source_id = s.id AND d.chunk_index = c.first) AS firstDrawerId
         FROM counted c JOIN sources s ON s.id = c.source_id
         ORDER BY s.kind, c.n DESC, s.source_file LIMIT @limit`,
      { day, from: Number.isNaN(from) ? 0 : from, exceptSource, limit },
    );
    return { sources: rows.map(({ total: _, ...source }) => source), total: rows[0]?.total ?? 0 };
  }

  /** Where in a source's text each drawer with a date begins, in order. */
  datesOf(sourceId: number): DatedStretch[] {
    return this.sql.all<DatedStretch>(
      `SELECT char_start AS charStart, content_date AS contentDate FROM drawers
         WHERE source_id = ? AND content_date IS NOT NULL ORDER BY chunk_index`,
      sourceId,
    );
  }

  /**
   * The whole text of a source piece by piece (about 256 KB each), as it was filed; all of one state of the
   * palace. The log is held as long as the generator is: end it, or read it to its end.
   */
  *textOf(sourceId: number): Generator<Buffer> {
    const next = this.sql.prepare<{ seq: number; body: Buffer }>(
      'SELECT seq, body FROM source_texts WHERE source_id = ? AND seq > ? ORDER BY seq LIMIT 1',
    );
    this.sql.exec('BEGIN');
    try {
      for (let row = next.get(sourceId, -1); row !== undefined; row = next.get(sourceId, row.seq)) {
        yield inflateRawSync(row.body);
      }
    } finally {
      this.sql.exec('COMMIT');
    }
  }
}
