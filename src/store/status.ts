import type { Sql } from './sql.js';

export interface RoomCount {
  wing: string;
  room: string;
  sources: number;
  drawers: number;
}

/** Sources and drawers by wing and room, from the counts kept with the sources: no walk over drawers. */
export function countRooms(sql: Sql): RoomCount[] {
  return sql
    .prepare<RoomCount>(
      `SELECT wing, room, count(*) AS sources, sum(drawers) AS drawers FROM sources
       GROUP BY wing, room ORDER BY wing, room`,
    )
    .all();
}

export function countDrawers(sql: Sql): number {
  return sql.prepare<{ n: number }>('SELECT coalesce(sum(drawers), 0) AS n FROM sources').get()?.n ?? 0;
}

/** A drawer with what a search hit shows of it. */
export interface DrawerView {
  id: number;
  drawerId: string;
  vectorId: number;
  text: string;
  title: string;
  context: string;
  place: string;
  wing: string;
  room: string;
  sourceKey: string;
  sourceFile: string;
  origin: string;
  kind: string;
  sessionId: string | null;
  directory: string | null;
  sourceMtimeMs: number;
  chunkIndex: number;
  lineStart: number;
  lineEnd: number;
  contentDate: string | null;
}

const VIEW = `
  SELECT d.id, d.drawer_id AS drawerId, d.vector_id AS vectorId, d.text, d.title, d.context, d.place, s.wing, s.room,
    s.source_key AS sourceKey, s.source_file AS sourceFile, s.origin, s.kind, s.session_id AS sessionId,
    s.directory, s.source_mtime AS sourceMtimeMs, d.chunk_index AS chunkIndex, d.line_start AS lineStart,
    d.line_end AS lineEnd, d.content_date AS contentDate
  FROM drawers d JOIN sources s ON s.id = d.source_id`;

/** Drawers by row id. */
export function drawersById(sql: Sql, ids: readonly number[]): DrawerView[] {
  const read = sql.prepare<DrawerView>(`${VIEW} WHERE d.id = ?`);
  return ids.flatMap((id) => read.get(id) ?? []);
}

/** Drawers that share a vector (identical embedded text), restricted to a wing and room. */
export function drawersByVector(
  sql: Sql,
  vectorId: number,
  among: { wing?: string; room?: string },
  limit: number,
): DrawerView[] {
  return sql
    .prepare<DrawerView>(
      `${VIEW} WHERE d.vector_id = @vectorId AND (@wing IS NULL OR s.wing = @wing)
       AND (@room IS NULL OR s.room = @room) ORDER BY d.id LIMIT @limit`,
    )
    .all({ vectorId, wing: among.wing ?? null, room: among.room ?? null, limit });
}
