import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { Sql } from '../db/sql.js';
import { SOURCE_DAY as DAY } from './listing.js';
import { pageOf } from './page.js';

/** A session that has no summary, or has grown since it was made. */
interface UnsummarisedRow {
  source_key: string;
  wing: string;
  chars: number;
  title: string;
  /** Of its newest content, else of its last change, `YYYY-MM-DD`. */
  day: string;
  /** 1: it has one. */
  grown: number;
}

export interface UnsummarisedPlace {
  /** The id or the key of a session. */
  session?: string | undefined;
  /** First day of its newest content, `YYYY-MM-DD`. */
  since?: string | undefined;
}

const NAME = 'summary.md';

/** The key of a session's summary. */
export const summaryKey = (session: string): string =>
  buildSourceKey({ kind: KEY_KIND.summary, owner: session, name: NAME });

/** `summary:` and `/summary.md` around the key of a session. */
const [BEFORE = '', AFTER = ''] = summaryKey('\0').split('\0');

/** Sources whose key is `summary:<session's key>/summary.md`. The last change of one is that of its session when it was made. */
export class Summaries {
  constructor(private readonly sql: Sql) {}

  /** Newest first; without sub-agents, and without those whose summary the user had forgotten. */
  missing({ session, since }: UnsummarisedPlace, limit: number) {
    const from = `FROM sources s LEFT JOIN sources m ON m.source_key = @before || s.source_key || @after
      WHERE s.kind = 'conversation' AND s.session_id IS NOT NULL AND instr(s.source_key, '/') = 0
        AND (m.id IS NULL OR m.source_mtime < s.source_mtime)
        AND (@session IS NULL OR @session IN (s.session_id, s.source_key))
        AND (@since IS NULL OR ${DAY} >= @since)
        AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.source_key = @before || s.source_key || @after)`;
    const columns = `s.source_key, s.wing, s.chars, coalesce(s.title, '') AS title, ${DAY} AS day, m.id IS NOT NULL AS grown`;
    return pageOf<UnsummarisedRow>(
      this.sql,
      { columns, from, order: 's.source_mtime DESC, s.id DESC' },
      { session, since, before: BEFORE, after: AFTER },
      { limit, offset: 0 },
    );
  }

  /** Of the newest content of a filed source, else of its last change, `YYYY-MM-DD`. */
  dayOf(sourceId: number): string {
    return this.sql.value<string>(`SELECT ${DAY} FROM sources s WHERE s.id = ?`, sourceId) ?? '';
  }

  /** Whether a session with this id or key is filed. */
  isSession(name: string): boolean {
    return this.sql.has(
      "SELECT 1 FROM sources WHERE kind = 'conversation' AND (session_id = @name OR source_key = @name) LIMIT 1",
      { name },
    );
  }

  /** Tokens that models used since a moment, epoch milliseconds. */
  tokensSince(ms: number): number {
    return (
      this.sql.value<number>(
        `SELECT coalesce(sum(json_extract(counts, '$.tokens')), 0) FROM runs
           WHERE command = ? AND started_ms >= ? AND counts IS NOT NULL`,
        SUMMARISING,
        ms,
      ) ?? 0
    );
  }
}

/** The command of the runs that count tokens. */
export const SUMMARISING = 'mempalace summarise';
