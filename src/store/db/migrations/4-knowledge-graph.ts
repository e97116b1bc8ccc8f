import type { Database } from 'better-sqlite3';

/** Facts with the time in which they hold, between named things. */
export function keepFacts(database: Database): void {
  database.exec(`
    CREATE TABLE entities (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE triples (
      id INTEGER PRIMARY KEY,
      triple_id TEXT NOT NULL UNIQUE,
      subject TEXT NOT NULL REFERENCES entities(id),
      predicate TEXT NOT NULL,
      object TEXT NOT NULL REFERENCES entities(id),
      valid_from TEXT,
      valid_to TEXT,
      confidence REAL NOT NULL,
      source_key TEXT,
      source_drawer_id TEXT,
      source_file TEXT,
      source_closet TEXT,
      added_by TEXT NOT NULL,
      recorded_at TEXT NOT NULL
    );
    CREATE INDEX triples_by_subject ON triples(subject, predicate);
    CREATE INDEX triples_by_object ON triples(object);
    CREATE INDEX triples_by_source ON triples(source_key) WHERE source_key IS NOT NULL;
  `);
}
