import { ACTIVITY_VERSION, activityOfText, type DerivedActivity } from '../../activity/index.js';
import { nameOfFile } from '../../core/file-path.js';
import type { TurnMark } from '../../core/turns.js';
import type { Sql } from '../db/sql.js';
import { CONTENT_DAY, conditionOf } from '../index/filter.js';
import type { Sources } from './sources.js';

/** A conversation whose activity is not derived by the current rules. */
interface Underived {
  id: number;
  directory: string | null;
}

/** A failure of a session; its fix, if it was fixed there. */
export interface FailureRow {
  signature: string;
  tool: string;
  message: string;
  command: string | null;
  file: string | null;
  sourceKey: string;
  sessionId: string | null;
  directory: string | null;
  drawerId: string;
  day: string;
  fixDrawerId: string | null;
  /** JSON: the files that were changed before the fix. */
  fixEdits: string | null;
}

const FAILURE = `f.signature, f.tool, f.message, f.command, f.file, s.source_key AS sourceKey,
  s.session_id AS sessionId, s.directory, d.drawer_id AS drawerId, ${CONTENT_DAY} AS day,
  fixed.drawer_id AS fixDrawerId, f.fix_edits AS fixEdits`;
const FAILED = `failures f JOIN sources s ON s.id = f.source_id
  JOIN drawers d ON d.source_id = f.source_id AND d.chunk_index = f.chunk_index
  LEFT JOIN drawers fixed ON fixed.source_id = f.source_id AND fixed.chunk_index = f.fix_chunk_index`;

const NOT_DERIVED = "kind = 'conversation' AND activity IS NOT @version";

/** What sessions did: derived from their texts, never filed by itself. */
export class ActivityTables {
  constructor(private readonly sql: Sql) {}

  /** Replaces the rows of a filed conversation, after its drawers. @param activity undefined: to be derived later */
  put(sourceId: number, activity: DerivedActivity | undefined): void {
    this.clear(sourceId);
    if (activity === undefined) return;
    const chunkAt = chunkFinder(
      this.sql.values<number>(
        'SELECT char_start FROM drawers WHERE source_id = ? ORDER BY chunk_index',
        sourceId,
      ),
    );
    for (const { path, action, former, at } of activity.touched) {
      this.sql.run(
        `INSERT INTO touched_files(source_id, chunk_index, path, action, name, former)
           VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...[sourceId, chunkAt(at), path, action, nameOfFile(path), former ?? null],
      );
    }
    for (const { signature, tool, message, command, file, at, fix } of activity.failures) {
      this.sql.run(
        `INSERT INTO failures(source_id, signature, chunk_index, tool, message, command, file, fix_chunk_index, fix_edits)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[sourceId, signature, chunkAt(at), tool, message, command ?? null, file ?? null],
        ...(fix === undefined ? [null, null] : [chunkAt(fix.at), JSON.stringify(fix.edits)]),
      );
    }
    this.sql.run('UPDATE sources SET activity = ? WHERE id = ?', activity.version, sourceId);
  }

  /** Removes the rows of a source. */
  clear(sourceId: number): void {
    this.sql.run('DELETE FROM touched_files WHERE source_id = ?', sourceId);
    this.sql.run('DELETE FROM failures WHERE source_id = ?', sourceId);
    this.sql.run('UPDATE sources SET activity = NULL WHERE id = ? AND activity IS NOT NULL', sourceId);
  }

  /** Removes all rows, which are then to be derived. */
  clearAll(): void {
    this.sql.write(() => {
      this.sql.exec('DELETE FROM touched_files; DELETE FROM failures; UPDATE sources SET activity = NULL');
    });
  }

  /** Failures of all sessions, by signature. */
  failures(): FailureRow[] {
    return this.sql.all<FailureRow>(`SELECT ${FAILURE} FROM ${FAILED} ORDER BY f.signature, f.source_id`);
  }

  /**
   * Failures with a signature that occurs in at least so many sessions, newest first.
   *
   * @param directory only sessions in this folder and below
   */
  recurringFailures(sessions: number, directory: string | undefined): FailureRow[] {
    const among = conditionOf({ directory });
    return this.sql.all<FailureRow>(
      `WITH recurring AS (
           SELECT f.signature FROM failures f JOIN sources s ON s.id = f.source_id WHERE ${among.sql}
           GROUP BY f.signature HAVING count(DISTINCT coalesce(s.session_id, s.source_key)) >= @sessions
         )
         SELECT ${FAILURE} FROM ${FAILED}
         WHERE f.signature IN (SELECT signature FROM recurring) AND ${among.sql} ORDER BY day DESC, s.id DESC`,
      { sessions, ...among.parameters },
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
      this.put(
        id,
        activityOfText(turns.length === 0 ? '' : sources.textOf(id), turns, directory ?? undefined),
      );
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
