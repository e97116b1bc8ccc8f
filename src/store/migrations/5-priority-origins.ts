import type { Database } from 'better-sqlite3';

/**
 * What gave a source its priority. Unknown for all that is filed: nothing of it pins until a run has looked again, so what
 * a cloned file claimed of itself leaves the wake-up at once. What the user set is in columns of its own.
 */
export function recordPriorityOrigins(database: Database): void {
  database.exec('ALTER TABLE sources ADD COLUMN priority_from TEXT');
}
