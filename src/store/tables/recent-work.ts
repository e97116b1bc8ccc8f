import type { FileAction } from '../../activity/index.js';
import type { FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { conditionOf } from '../index/filter.js';
import { SOURCE_DAY } from './listing.js';
import { type Page, pageOf } from './page.js';

export interface RecentSession
  extends Pick<FiledSource, 'id' | 'sourceKey' | 'title' | 'wing' | 'room' | 'sessionId' | 'directory'> {
  day: string;
  /** Of its last message, epoch milliseconds. */
  lastMs: number;
  /** Its first question, as the search knows it; empty if nobody asked. */
  question: string;
}

interface ChangedFile {
  id: number;
  path: string;
  /** The last one. */
  action: FileAction;
  /** Files that the session changed. */
  total: number;
}

/** A drawer with calls of tools. */
interface CallsPiece {
  id: number;
  /** Position in the session's text, UTF-16 units. */
  start: number;
  text: string;
}

/** The first question is looked for among this many drawers. */
const FIRST_CHUNKS = 20;
/** Calls are looked for among this many drawers at the end of a session, … */
const LAST_CHUNKS = 400;
/** … and each with the drawers that follow: a list of items, or a result, may go on there. */
const FOLLOWING = 2;

/** Commits, and lists of items by their tools' names (`src/activity/todos.ts`). */
const TELLING = [
  '%git %commit%',
  '%[tool %todo%',
  '%[tool TaskCreate%',
  '%[tool TaskUpdate%',
  '%[tool update_plan%',
]
  .map((pattern) => `d.text LIKE '${pattern}'`)
  .join(' OR ');

/** What sessions did lately. Sessions are found by date; of each, a limited number of rows is read. */
export class RecentWork {
  constructor(private readonly sql: Sql) {}

  /** Newest first, without sub-agents. @param place.since first day, `YYYY-MM-DD` */
  sessions({ wing, since }: { wing?: string | undefined; since: string }, page: Page) {
    const among = conditionOf({ wing });
    const from = `FROM sources s INDEXED BY sources_by_date WHERE s.content_date >= @since AND s.kind = 'conversation'
      AND (s.session_id IS NULL OR instr(s.source_key, '/') = 0) AND ${among.sql}
      AND NOT EXISTS (SELECT 1 FROM session_relations r WHERE r.source_id = s.id AND r.relation = 'sub-agent')`;
    const columns = `s.id, s.source_key AS sourceKey, s.title, s.wing, s.room, s.session_id AS sessionId, s.directory,
      ${SOURCE_DAY} AS day, s.source_mtime AS lastMs,
      coalesce((SELECT q.context FROM drawers q WHERE q.source_id = s.id AND q.chunk_index < ${FIRST_CHUNKS}
        AND q.context <> '' ORDER BY q.chunk_index LIMIT 1), '') AS question`;
    const order = 's.content_date DESC, s.source_mtime DESC, s.id DESC';
    return pageOf<RecentSession>(this.sql, { columns, from, order }, { ...among.parameters, since }, page);
  }

  /** What these sessions changed, of each the first files. */
  files(ids: readonly number[], most: number): ChangedFile[] {
    return this.sql.all<ChangedFile>(
      `SELECT source_id AS id, path, action, total FROM (
           SELECT *, count(*) OVER (PARTITION BY source_id) AS total,
             row_number() OVER (PARTITION BY source_id ORDER BY first, path) AS place
           FROM (SELECT source_id, path, action, min(chunk_index) AS first, max(chunk_index) AS last FROM touched_files
             WHERE source_id IN (SELECT value FROM json_each(@ids)) AND action <> 'read' GROUP BY source_id, path))
         WHERE place <= @most ORDER BY source_id, place`,
      { ids: JSON.stringify(ids), most },
    );
  }

  /** The drawers of these sessions that may tell of commits and of lists of items, in order. */
  calls(ids: readonly number[]): CallsPiece[] {
    return this.sql.all<CallsPiece>(
      `WITH found AS MATERIALIZED (
           SELECT d.source_id, d.chunk_index FROM sources s JOIN drawers d ON d.source_id = s.id
           WHERE s.id IN (SELECT value FROM json_each(?)) AND d.chunk_index >= s.drawers - ${LAST_CHUNKS}
             AND d.role = 'tool' AND (${TELLING}))
         SELECT DISTINCT d.source_id AS id, d.char_start AS start, d.text FROM found f
         JOIN drawers d ON d.source_id = f.source_id AND d.chunk_index BETWEEN f.chunk_index AND f.chunk_index + ${FOLLOWING}
         ORDER BY d.source_id, d.char_start`,
      JSON.stringify(ids),
    );
  }
}
