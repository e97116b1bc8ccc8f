import type { Database } from 'better-sqlite3';
import { UserError } from '../common/errors.js';

/** Size of a vec0 chunk in vectors: small enough that one chunk stays in a CPU's second-level cache while it is scanned. */
const VECTORS_PER_CHUNK = 128;

/** Lexical index: English stemming over Unicode words; accents do not matter. */
export const TOKENIZE = 'porter unicode61 remove_diacritics 2';

/** Columns of the lexical index, in order, with their weight in BM25. */
export const LEXICAL_COLUMNS = [
  { name: 'text', weight: 1 },
  { name: 'title', weight: 0.5 },
  { name: 'context', weight: 0.5 },
  { name: 'place', weight: 0.25 },
] as const;

const columnNames = LEXICAL_COLUMNS.map((column) => column.name);
const columnsOf = (row: 'new' | 'old') => columnNames.map((name) => `${row}.${name}`).join(', ');

/**
 * Numbered, forward-only migrations: index + 1 is the schema version they lead to, kept in `user_version`.
 * A migration that has shipped is never edited.
 */
const MIGRATIONS: readonly ((dimension: number) => string)[] = [
  (dimension) => `
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
      embedding float[${dimension}] distance_metric=l2, chunk_size=${VECTORS_PER_CHUNK}
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
      ${columnNames.join(', ')}, content='drawers', content_rowid='id', tokenize='${TOKENIZE}'
    );
    INSERT INTO lexical_index(lexical_index, rank) VALUES ('secure-delete', 1);
    CREATE VIRTUAL TABLE lexical_terms USING fts5vocab(lexical_index, 'row');

    CREATE TRIGGER drawers_inserted AFTER INSERT ON drawers BEGIN
      INSERT INTO lexical_index(rowid, ${columnNames.join(', ')}) VALUES (new.id, ${columnsOf('new')});
    END;
    CREATE TRIGGER drawers_deleted AFTER DELETE ON drawers BEGIN
      INSERT INTO lexical_index(lexical_index, rowid, ${columnNames.join(', ')})
      VALUES ('delete', old.id, ${columnsOf('old')});
    END;
    CREATE TRIGGER drawers_reworded AFTER UPDATE OF ${columnNames.join(', ')} ON drawers
    WHEN ${columnNames.map((name) => `new.${name} IS NOT old.${name}`).join(' OR ')} BEGIN
      INSERT INTO lexical_index(lexical_index, rowid, ${columnNames.join(', ')})
      VALUES ('delete', old.id, ${columnsOf('old')});
      INSERT INTO lexical_index(rowid, ${columnNames.join(', ')}) VALUES (new.id, ${columnsOf('new')});
    END;
  `,
];

/** The schema version this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema version of an open palace; 0 when it has no schema yet. */
export function schemaVersion(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}

/**
 * Refuses a palace that a later program wrote.
 *
 * @throws UserError `palace-newer`
 */
export function refuseNewer(database: Database, file: string): void {
  const version = schemaVersion(database);
  if (version <= SCHEMA_VERSION) return;
  throw new UserError(
    'palace-newer',
    `${file} has schema version ${version}, this program knows ${SCHEMA_VERSION}`,
    { hint: 'update mempalace-toolkit (git pull, then ./install.sh)' },
  );
}

/** Brings the palace to `SCHEMA_VERSION`; to be called inside a transaction, so that no step is half done. */
export function migrate(database: Database, dimension: number): void {
  for (const migration of MIGRATIONS.slice(schemaVersion(database))) database.exec(migration(dimension));
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}
