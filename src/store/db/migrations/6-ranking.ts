import type { Database } from 'better-sqlite3';

/** The kind of a document's text: null for conversations, and for what was filed before this version and not looked at again. */
export function rankByMore(database: Database): void {
  database.exec('ALTER TABLE sources ADD COLUMN text_kind TEXT');
}
