import type { SourceKind } from '../../core/contract.js';
import type { Sql } from '../db/sql.js';
import { SOURCE_PRIORITY } from '../index/filter.js';
import { SOURCE_DAY } from './listing.js';

/** A source, as far as it matters how it is used. */
export interface UsedSource {
  id: number;
  source_key: string;
  kind: SourceKind;
  wing: string;
  room: string;
  title: string | null;
  project_id: string | null;
  /** Day of its newest content. */
  day: string;
  /** 1 if the user pinned it. */
  pinned: number;
  /** 1 if it, or a drawer of it, is pinned or of high priority. */
  valued: number;
  /** 1 if a failure in it was resolved. */
  fixed: number;
}

export class Suggestions {
  constructor(private readonly sql: Sql) {}

  /** All sources with text, by key. It reads every source. */
  sources(): UsedSource[] {
    return this.sql.all<UsedSource>(
      `SELECT s.id, s.source_key, s.kind, s.wing, s.room, s.title, s.project_id,
           ${SOURCE_DAY} AS day, s.pinned,
           s.pinned OR ${SOURCE_PRIORITY} = 'high' OR s.id IN (
             SELECT source_id FROM drawers WHERE (pinned = 1 OR set_priority IS NOT NULL)
               AND (pinned = 1 OR set_priority = 'high')
           ) AS valued,
           s.id IN (SELECT source_id FROM failures WHERE fix_chunk_index IS NOT NULL) AS fixed
         FROM sources s WHERE s.drawers > 0 ORDER BY s.source_key`,
    );
  }

  sourcesOf(drawerIds: readonly string[]): { drawer_id: string; source_id: number }[] {
    return this.sql.all<{ drawer_id: string; source_id: number }>(
      `SELECT d.drawer_id, d.source_id
         FROM json_each(?) wanted CROSS JOIN drawers d ON d.drawer_id = wanted.value`,
      JSON.stringify(drawerIds),
    );
  }

  /** The beginning of a drawer's text, at most so many characters. */
  passageOf(drawer_id: string, chars: number): string | undefined {
    return this.sql.value<string>(
      'SELECT substr(text, 1, ?) FROM drawers WHERE drawer_id = ?',
      chars,
      drawer_id,
    );
  }
}
