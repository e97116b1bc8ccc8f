import type { Database } from 'better-sqlite3';

/**
 * Who speaks from where on in a filed transcript: null for documents, and for what was filed before this version.
 *
 * What gave a source its priority: unknown for all that is filed, so nothing of it pins until a run has looked again, and
 * what a cloned file claimed of itself leaves the wake-up at once. What the user set is in columns of its own.
 */
export function rememberTurnsAndPriorityOrigins(database: Database): void {
  database.exec(
    'ALTER TABLE sources ADD COLUMN turns BLOB; ALTER TABLE sources ADD COLUMN priority_from TEXT',
  );
}
