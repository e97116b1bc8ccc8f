import type { Database } from 'better-sqlite3';

/**
 * Which session another one came from: it was started by it as a sub-agent, or it copied messages of it, which are filed
 * once. Sessions that were filed before this version are recorded when they are filed again.
 */
export function relateSessions(database: Database): void {
  database.exec(`
    CREATE TABLE session_relations (
      source_id INTEGER NOT NULL REFERENCES sources(id),
      of_key TEXT NOT NULL,
      relation TEXT NOT NULL,
      PRIMARY KEY (source_id, of_key, relation)
    ) WITHOUT ROWID;
    CREATE INDEX session_relations_by_key ON session_relations(of_key);
  `);
}
