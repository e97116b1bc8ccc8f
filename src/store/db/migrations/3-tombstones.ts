import type { Database } from 'better-sqlite3';

/** What was forgotten, so that no run brings it back: what it was known by, neither its title nor its text. */
export function rememberWhatWasForgotten(database: Database): void {
  database.exec(`
    CREATE TABLE tombstones (
      source_key TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      wing TEXT NOT NULL,
      origin TEXT NOT NULL,
      session_id TEXT,
      project_id TEXT,
      run_id INTEGER NOT NULL,
      forgotten_at TEXT NOT NULL
    ) WITHOUT ROWID;
  `);
}
