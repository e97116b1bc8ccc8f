import type { PriorityOrigin } from '../../core/contract.js';
import type { FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { type Condition, conditionOf, type DrawerFilter, SOURCE_PRIORITY } from '../index/filter.js';
import type { Page } from './page.js';
import { type DrawerView, VIEW } from './reading.js';
import { SOURCE } from './sources.js';

export interface ListedSource extends Omit<FiledSource, 'priorityFrom'> {
  /** Date of its newest content, else the day of its last change. */
  day: string;
  filed_at: string;
  /** Null without a priority, or if not recorded. */
  priority_from: PriorityOrigin | 'user' | null;
  pinned: number;
}

export type SourceFilter = Pick<DrawerFilter, 'wing' | 'room' | 'type' | 'priority'>;

/** Day of the newest content of a source, else of its last change. */
export const SOURCE_DAY = "coalesce(s.content_date, date(s.source_mtime / 1000, 'unixepoch', 'localtime'))";

export interface RoomCount {
  wing: string;
  room: string;
  sources: number;
  drawers: number;
}

/** By wing and room, from the counts stored with the sources. */
export function countRooms(sql: Sql): RoomCount[] {
  return sql.all<RoomCount>(
    `SELECT wing, room, count(*) AS sources, sum(drawers) AS drawers FROM sources
     GROUP BY wing, room ORDER BY wing, room`,
  );
}

export function countDrawers(sql: Sql): number {
  return sql.value<number>('SELECT coalesce(sum(drawers), 0) FROM sources') ?? 0;
}

/** Lists the content of the palace. Sources are read from the rows of the sources, without scanning drawers. */
export class Listing {
  constructor(private readonly sql: Sql) {}

  /** As `countRooms`, with the day of the newest content of each room. It reads every source. */
  roomMap(wing?: string) {
    const among = sourceCondition({ wing });
    return this.sql.all<RoomCount & { last: string }>(
      `SELECT wing, room, count(*) AS sources, sum(drawers) AS drawers, max(${SOURCE_DAY}) AS last
         FROM sources s WHERE ${among.sql} GROUP BY wing, room ORDER BY wing, room`,
      { ...among.parameters },
    );
  }

  /** Sources by the day of their newest content and by wing, newest first. It reads every source. */
  days({ wing, since }: { wing?: string | undefined; since?: string | undefined }) {
    const among = sourceCondition({ wing });
    return this.sql.all<Omit<RoomCount, 'room'> & { day: string }>(
      `SELECT ${SOURCE_DAY} AS day, s.wing, count(*) AS sources, sum(drawers) AS drawers
         FROM sources s WHERE ${among.sql} AND (@since IS NULL OR ${SOURCE_DAY} >= @since)
         GROUP BY day, s.wing ORDER BY day DESC, s.wing`,
      { ...among.parameters, since },
    );
  }

  /** Newest first; those of one day by their last change. */
  sources(filter: SourceFilter, page: Page): ListedSource[] {
    const among = sourceCondition(filter);
    return this.sql.all<ListedSource>(
      `SELECT ${SOURCE}, ${SOURCE_DAY} AS day,
           s.filed_at, coalesce(s.set_priority, s.priority) AS priority,
           CASE WHEN s.set_priority IS NULL THEN s.priority_from ELSE 'user' END AS priority_from, s.pinned
         FROM sources s WHERE ${among.sql}
         ORDER BY s.content_date DESC, s.source_mtime DESC, s.id DESC LIMIT @limit OFFSET @offset`,
      { ...among.parameters, ...page },
    );
  }

  countSources(filter: SourceFilter): number {
    const among = sourceCondition(filter);
    return this.sql.count(`FROM sources s WHERE ${among.sql}`, { ...among.parameters });
  }

  /** The types that documents declare or manifests give them, by name. */
  declaredTypes(): string[] {
    return this.sql.values<string>(
      `SELECT DISTINCT coalesce(declared_type, given_type) AS type FROM sources WHERE type IS NOT NULL ORDER BY type`,
    );
  }

  /** Last filed first. */
  drawers(filter: DrawerFilter, page: Page): DrawerView[] {
    const among = conditionOf(filter);
    return this.sql.all<DrawerView>(
      `${VIEW} WHERE ${among.sql} ORDER BY d.id DESC LIMIT @limit OFFSET @offset`,
      { ...among.parameters, ...page },
    );
  }

  countDrawers(filter: DrawerFilter): number {
    const among = conditionOf(filter);
    return this.sql.count(`FROM sources s JOIN drawers d ON d.source_id = s.id WHERE ${among.sql}`, {
      ...among.parameters,
    });
  }
}

function sourceCondition({ priority, ...filter }: SourceFilter): Condition {
  const { sql, parameters } = conditionOf(filter);
  if (priority === undefined) return { sql, parameters };
  return { sql: `${sql} AND ${SOURCE_PRIORITY} = @priority`, parameters: { ...parameters, priority } };
}
