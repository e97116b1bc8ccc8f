import { ACTIVITY_VERSION, activityOfText, type DerivedActivity } from '../../activity/index.js';
import { nameOfFile } from '../../core/file-path.js';
import type { TurnMark } from '../../core/turns.js';
import type { Sql } from '../db/sql.js';
import { CONTENT_DAY, conditionOf, ends } from '../index/filter.js';
import { SOURCE_DAY } from './listing.js';
import type { Sources } from './sources.js';

/** A conversation whose activity is not derived by the current rules. */
interface Underived {
  id: number;
  directory: string | null;
}

/** The first failure of a session with a signature, or the first that was fixed there. */
export interface FailureRow {
  tool: string;
  message: string;
  command: string | null;
  file: string | null;
  /** Id of the session, else the key of its source. */
  session: string;
  drawer_id: string;
  day: string;
  fix_drawer_id: string | null;
  /** JSON: the files that were changed before the fix. */
  fix_edits: string | null;
}

/** A message of a tool that occurred in several sessions. */
interface RecurringFailure {
  signature: string;
  /** Number of sessions with it, … */
  sessions: number;
  /** … and of those that fixed it. */
  fixes: number;
}

interface FailureQuery {
  directory?: string | undefined;
  fixed?: boolean | undefined;
}

/** A sub-agent belongs to its session. */
const SESSION = 'coalesce(s.session_id, s.source_key)';
const IS_FIXED = 'f.fix_chunk_index IS NOT NULL';
const IS_FILE = ends('f.file');
const IS_EDIT = ends('e.value');
/** A failure concerns the file `@file`, or was fixed by changing it. Damaged JSON is no reason to fail here. */
const IS_ABOUT = `(${IS_FILE} OR CASE WHEN json_valid(f.fix_edits)
  THEN EXISTS (SELECT 1 FROM json_each(f.fix_edits) e WHERE ${IS_EDIT}) END)`;

const NOT_DERIVED = "kind = 'conversation' AND activity IS NOT @version";

/** What sessions did: derived from their texts, never filed by itself. */
export class ActivityTables {
  constructor(private readonly sql: Sql) {}

  /**
   * Replaces the rows of a filed conversation, after its drawers.
   *
   * @param starts of its drawers, in order
   */
  put(
    sourceId: number,
    { touched, failures }: Pick<DerivedActivity, 'touched' | 'failures'>,
    starts: readonly number[],
  ): void {
    this.clear(sourceId);
    if (touched.length + failures.length === 0) return;
    const chunkAt = chunkFinder(starts);
    // One statement per table: a statement per row takes most of the time.
    const files = touched.map(({ path, action, former = null, at }) => {
      return [chunkAt(at), path, action, nameOfFile(path), former];
    });
    this.sql.run(
      `INSERT INTO touched_files(source_id, chunk_index, path, action, name, former)
         SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?) WHERE true
         ON CONFLICT DO NOTHING`,
      sourceId,
      JSON.stringify(files),
    );
    const failed = failures.map(({ signature, tool, message, command = null, file = null, at, fix }) => [
      ...[signature, chunkAt(at), tool, message, command, file],
      ...(fix === undefined ? [null, null] : [chunkAt(fix.at), JSON.stringify(fix.edits)]),
    ]);
    if (failed.length === 0) return;
    this.sql.run(
      `INSERT INTO failures(source_id, signature, chunk_index, tool, message, command, file, fix_chunk_index, fix_edits)
         SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
         FROM json_each(?)`,
      sourceId,
      JSON.stringify(failed),
    );
  }

  clear(sourceId: number): void {
    this.sql.run('DELETE FROM touched_files WHERE source_id = ?', sourceId);
    this.sql.run('DELETE FROM failures WHERE source_id = ?', sourceId);
  }

  /** Removes all rows, which are then to be derived. */
  clearAll(): void {
    this.sql.write(() => {
      this.sql.exec('DELETE FROM touched_files; DELETE FROM failures; UPDATE sources SET activity = NULL');
    });
  }

  /**
   * Failures with a signature that occurs in at least so many sessions: those of most sessions first, then the newest.
   *
   * @param query.file only those that concern this file, or were fixed by changing it: a plain path, or the end of one
   */
  recurring(
    least: number,
    { directory, file, fixed = false }: FailureQuery & { file?: string | undefined },
  ): RecurringFailure[] {
    const among = conditionOf({ directory });
    return this.sql.all<RecurringFailure>(
      `SELECT f.signature, count(DISTINCT ${SESSION}) AS sessions,
           count(DISTINCT CASE WHEN ${IS_FIXED} THEN ${SESSION} END) AS fixes
         FROM failures f JOIN sources s ON s.id = f.source_id WHERE ${among.sql} GROUP BY f.signature
         HAVING sessions >= @least AND (NOT @fixed OR fixes > 0) AND (@file IS NULL OR max(${IS_ABOUT}))
         ORDER BY iif(@fixed, fixes, sessions) DESC, max(${SOURCE_DAY}) DESC, f.signature`,
      { least, fixed: fixed ? 1 : 0, file, ...among.parameters },
    );
  }

  /** The newest sessions with a failure, newest first: of each session one row, with the fix if there is one. */
  failures(signature: string, { directory, fixed = false }: FailureQuery, most: number): FailureRow[] {
    const among = conditionOf({ directory });
    return this.sql.all<FailureRow>(
      `WITH found AS (
           SELECT f.*, ${SESSION} AS session, ${SOURCE_DAY} AS last, row_number() OVER (
               PARTITION BY ${SESSION} ORDER BY ${IS_FIXED} DESC, s.id DESC) AS place
           FROM failures f JOIN sources s ON s.id = f.source_id
           WHERE f.signature = @signature AND ${among.sql} AND (NOT @fixed OR ${IS_FIXED})
         )
         SELECT f.tool, f.message, f.command, f.file, f.session, d.drawer_id, ${CONTENT_DAY} AS day,
           fixed.drawer_id AS fix_drawer_id, f.fix_edits
         FROM (SELECT * FROM found WHERE place = 1 ORDER BY last DESC, source_id DESC LIMIT @most) f
         JOIN sources s ON s.id = f.source_id
         JOIN drawers d ON d.source_id = f.source_id AND d.chunk_index = f.chunk_index
         LEFT JOIN drawers fixed ON fixed.source_id = f.source_id AND fixed.chunk_index = f.fix_chunk_index
         ORDER BY f.last DESC, f.source_id DESC`,
      { signature, most, fixed: fixed ? 1 : 0, ...among.parameters },
    );
  }

  underived(): Underived[] {
    return this.sql.all<Underived>(`SELECT id, directory FROM sources WHERE ${NOT_DERIVED}`, {
      version: ACTIVITY_VERSION,
    });
  }

  countUnderived(): number {
    return this.sql.count(`FROM sources WHERE ${NOT_DERIVED}`, { version: ACTIVITY_VERSION });
  }

  /** Derives the rows of a filed conversation from its text. Without recorded turns, there are none. */
  derive({ id, directory }: Underived, sources: Pick<Sources, 'turnsOf' | 'textOf'>): void {
    this.sql.write(() => {
      const turns: readonly TurnMark[] = sources.turnsOf(id) ?? [];
      const text = turns.length === 0 ? '' : sources.textOf(id);
      const starts = this.sql.values<number>(
        'SELECT char_start FROM drawers WHERE source_id = ? ORDER BY chunk_index',
        id,
      );
      this.put(id, activityOfText(text, turns, directory ?? undefined), starts);
      this.sql.run('UPDATE sources SET activity = ? WHERE id = ?', ACTIVITY_VERSION, id);
    });
  }
}

/** Finds the index of the drawer that contains an offset of the text, or of the last one before it. */
function chunkFinder(starts: readonly number[]): (offset: number) => number {
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  };
}
