import type { Database } from 'better-sqlite3';

/** The first palace: sources, drawers, their lexical index, and their vectors in a vec0 table. */
export function createPalace(database: Database, dimension: number): void {
  database.exec(`
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE projects (
      id TEXT PRIMARY KEY,
      root TEXT NOT NULL,
      root_commit TEXT,
      wing TEXT NOT NULL,
      folder TEXT NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE runs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      command TEXT NOT NULL,
      scope TEXT NOT NULL,
      narrowed INTEGER NOT NULL,
      versions TEXT NOT NULL,
      started_ms INTEGER NOT NULL,
      ended_ms INTEGER,
      exit_code INTEGER,
      counts TEXT,
      skipped TEXT
    );

    CREATE TABLE sources (
      id INTEGER PRIMARY KEY,
      source_key TEXT NOT NULL UNIQUE,
      source_file TEXT NOT NULL,
      origin TEXT NOT NULL,
      kind TEXT NOT NULL,
      wing TEXT NOT NULL,
      room TEXT NOT NULL,
      project_id TEXT REFERENCES projects(id),
      title TEXT,
      session_id TEXT,
      directory TEXT,
      source_mtime REAL NOT NULL,
      bytes INTEGER NOT NULL,
      hash TEXT NOT NULL,
      versions TEXT NOT NULL,
      ingest_mode TEXT NOT NULL,
      content_date TEXT,
      chars INTEGER NOT NULL,
      drawers INTEGER NOT NULL,
      messages BLOB,
      run_id INTEGER NOT NULL REFERENCES runs(id),
      filed_at TEXT NOT NULL
    );
    CREATE INDEX sources_by_place ON sources(wing, room);
    CREATE INDEX sources_by_project ON sources(project_id);
    CREATE INDEX sources_by_session ON sources(session_id);

    CREATE TABLE source_texts (
      source_id INTEGER NOT NULL REFERENCES sources(id),
      seq INTEGER NOT NULL,
      hash BLOB NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (source_id, seq)
    );

    CREATE TABLE vectors (id INTEGER PRIMARY KEY, text_hash BLOB UNIQUE);
    CREATE VIRTUAL TABLE vector_index USING vec0(
      embedding float[${dimension}] distance_metric=l2, chunk_size=128
    );
    CREATE TABLE unfiled_vectors (id INTEGER PRIMARY KEY, text_hash BLOB NOT NULL UNIQUE, embedding BLOB NOT NULL);

    CREATE TABLE drawers (
      id INTEGER PRIMARY KEY,
      drawer_id TEXT NOT NULL UNIQUE,
      source_id INTEGER NOT NULL REFERENCES sources(id),
      vector_id INTEGER NOT NULL REFERENCES vectors(id),
      chunk_index INTEGER NOT NULL,
      char_start INTEGER NOT NULL,
      char_end INTEGER NOT NULL,
      line_start INTEGER NOT NULL,
      line_end INTEGER NOT NULL,
      content_date TEXT,
      role TEXT,
      added_by TEXT NOT NULL,
      run_id INTEGER NOT NULL REFERENCES runs(id),
      filed_at TEXT NOT NULL,
      text TEXT NOT NULL,
      title TEXT NOT NULL,
      context TEXT NOT NULL,
      place TEXT NOT NULL
    );
    CREATE INDEX drawers_by_source ON drawers(source_id, chunk_index);
    CREATE INDEX drawers_by_vector ON drawers(vector_id);

    CREATE VIRTUAL TABLE lexical_index USING fts5(
      text, title, context, place, content='drawers', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
    );
    INSERT INTO lexical_index(lexical_index, rank) VALUES ('secure-delete', 1);
    CREATE VIRTUAL TABLE lexical_terms USING fts5vocab(lexical_index, 'row');

    CREATE TRIGGER drawers_inserted AFTER INSERT ON drawers BEGIN
      INSERT INTO lexical_index(rowid, text, title, context, place) VALUES (new.id, new.text, new.title, new.context, new.place);
    END;
    CREATE TRIGGER drawers_deleted AFTER DELETE ON drawers BEGIN
      INSERT INTO lexical_index(lexical_index, rowid, text, title, context, place)
      VALUES ('delete', old.id, old.text, old.title, old.context, old.place);
    END;
    CREATE TRIGGER drawers_reworded AFTER UPDATE OF text, title, context, place ON drawers
    WHEN new.text IS NOT old.text OR new.title IS NOT old.title OR new.context IS NOT old.context OR new.place IS NOT old.place BEGIN
      INSERT INTO lexical_index(lexical_index, rowid, text, title, context, place)
      VALUES ('delete', old.id, old.text, old.title, old.context, old.place);
      INSERT INTO lexical_index(rowid, text, title, context, place) VALUES (new.id, new.text, new.title, new.context, new.place);
    END;
  `);
}
