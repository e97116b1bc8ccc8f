import { ACTIVITY_VERSION, activityOfText, type DerivedActivity } from '../../activity/index.js';
import type { TurnMark } from '../../core/turns.js';
import type { Sql } from '../db/sql.js';
import type { Sources } from './sources.js';

/** A conversation whose activity is not derived by the current rules. */
interface Underived {
  id: number;
  directory: string | null;
}

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
        ...[sourceId, chunkAt(at), path, action, nameOf(path), former ?? null],
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

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
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
