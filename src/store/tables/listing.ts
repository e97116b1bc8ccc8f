import type { Sql } from '../db/sql.js';
import { type Condition, conditionOf, type DrawerFilter } from '../index/filter.js';
import { type DrawerView, SOURCE, type SourceView, VIEW } from './reading.js';

export interface WingCount {
  wing: string;
  rooms: number;
  sources: number;
  drawers: number;
}

export interface Page {
  limit: number;
  offset: number;
}

/** A source as a list shows it. */
export interface ListedSource extends SourceView {
  /** Of its newest content, else the day it changed last (UTC). */
  day: string;
  filedAt: string;
  priority: string | null;
  /** `user`, or as `PriorityOrigin`; null where it has none, or where nobody recorded it. */
  priorityFrom: string | null;
  pinned: number;
}

export interface RoomCount {
  wing: string;
  room: string;
  sources: number;
  drawers: number;
}

/** Sources and drawers by wing and room, from the counts stored with the sources: no walk over drawers. */
export function countRooms(sql: Sql): RoomCount[] {
  return sql.all<RoomCount>(
    `SELECT wing, room, count(*) AS sources, sum(drawers) AS drawers FROM sources
     GROUP BY wing, room ORDER BY wing, room`,
  );
}

export function countDrawers(sql: Sql): number {
  return sql.value<number>('SELECT coalesce(sum(drawers), 0) FROM sources') ?? 0;
}

/** What the palace contains. Wings and sources come from counts and rows kept with the sources, without a walk over drawers. */
export class Listing {
  constructor(private readonly sql: Sql) {}

  /** Wings by name. */
  wings(): WingCount[] {
    return this.sql.all<WingCount>(`SELECT wing, count(*) AS rooms, sum(sources) AS sources, sum(drawers) AS drawers FROM (
           SELECT wing, room, count(*) AS sources, sum(drawers) AS drawers FROM sources GROUP BY wing, room
         ) GROUP BY wing ORDER BY wing`);
  }

  /** The newest sources first; those of one day by when they changed last. */
  sources(place: { wing?: string | undefined; room?: string | undefined }, page: Page): ListedSource[] {
    const among = conditionOf(place);
    return this.sql.all<ListedSource>(
      `SELECT ${SOURCE}, coalesce(s.content_date, date(s.source_mtime / 1000, 'unixepoch')) AS day,
           s.filed_at AS filedAt, coalesce(s.set_priority, s.priority) AS priority,
           CASE WHEN s.set_priority IS NULL THEN s.priority_from ELSE 'user' END AS priorityFrom, s.pinned
         FROM sources s ${whereOf(among)}
         ORDER BY s.content_date DESC, s.source_mtime DESC, s.id DESC LIMIT @limit OFFSET @offset`,
      { ...among?.parameters, ...page },
    );
  }

  countSources(place: { wing?: string | undefined; room?: string | undefined }): number {
    const among = conditionOf(place);
    return (
      this.sql.value<number>(`SELECT count(*) AS n FROM sources s ${whereOf(among)}`, {
        ...among?.parameters,
      }) ?? 0
    );
  }

  /** Drawers that the filter allows, the last filed first. */
  drawers(filter: DrawerFilter, page: Page): DrawerView[] {
    const among = conditionOf(filter);
    return this.sql.all<DrawerView>(
      `${VIEW} ${whereOf(among)} ORDER BY d.id DESC LIMIT @limit OFFSET @offset`,
      { ...among?.parameters, ...page },
    );
  }

  countDrawers(filter: DrawerFilter): number {
    const among = conditionOf(filter);
    return (
      this.sql.value<number>(
        `SELECT count(*) AS n FROM sources s JOIN drawers d ON d.source_id = s.id ${whereOf(among)}`,
        { ...among?.parameters },
      ) ?? 0
    );
  }
}

function whereOf(among: Condition | undefined): string {
  return among === undefined ? '' : `WHERE ${among.sql}`;
}
