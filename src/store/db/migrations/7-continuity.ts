import { inflateRawSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { pathOfKey } from '../../../core/source-key.js';
import { declaredTypeOf } from '../../../core/source-type.js';

/** What agents need to go on: types of documents, what sessions did, collections, and tasks. */
export function continueWork(database: Database): void {
  declareTypes(database);
  giveTypes(database);
  recordActivity(database);
  collect(database);
  leaveTasks(database);
}

/**
 * The files that sessions touched, and their failures: derived from their texts. `activity` is the version of the rules
 * that derived them; null until a run has done so.
 */
function recordActivity(database: Database): void {
  database.exec(`
    ALTER TABLE sources ADD COLUMN activity INTEGER;

    CREATE TABLE touched_files (
      source_id INTEGER NOT NULL REFERENCES sources(id),
      chunk_index INTEGER NOT NULL,
      path TEXT NOT NULL,
      action TEXT NOT NULL,
      name TEXT NOT NULL,
      former TEXT,
      PRIMARY KEY (source_id, chunk_index, path, action)
    ) WITHOUT ROWID;
    CREATE INDEX touched_files_by_name ON touched_files(name);

    CREATE TABLE failures (
      source_id INTEGER NOT NULL REFERENCES sources(id),
      signature TEXT NOT NULL,
      chunk_index INTEGER NOT NULL,
      tool TEXT NOT NULL,
      message TEXT NOT NULL,
      command TEXT,
      file TEXT,
      fix_chunk_index INTEGER,
      fix_edits TEXT,
      PRIMARY KEY (source_id, signature)
    ) WITHOUT ROWID;
    CREATE INDEX failures_by_signature ON failures(signature);
  `);
}

/** The type in each document's front matter. */
function declareTypes(database: Database): void {
  database.exec('ALTER TABLE sources ADD COLUMN declared_type TEXT');
  database.function('declared_type_of', (sourceKey: string, body: Buffer | null) => {
    try {
      return declaredTypeOf(pathOfKey(sourceKey), body === null ? '' : inflateRawSync(body).toString('utf8'));
    } catch {
      // Damaged text does not keep a palace from opening; `verify` reports it.
      return null;
    }
  });
  database.exec(`
    UPDATE sources SET declared_type = declared_type_of(
      source_key, (SELECT body FROM source_texts t WHERE t.source_id = sources.id AND t.seq = 0)
    ) WHERE kind = 'document'
  `);
}

/** The type that a project's watchdog manifest gives a document. */
function giveTypes(database: Database): void {
  database.exec('ALTER TABLE sources ADD COLUMN given_type TEXT');
}

/** Stored searches, with drawers that the user added or excluded. */
function collect(database: Database): void {
  database.exec(`
    CREATE TABLE collections (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      question TEXT,
      filter TEXT NOT NULL,
      most INTEGER NOT NULL,
      min_score REAL NOT NULL,
      made_at TEXT NOT NULL
    );
    CREATE TABLE collection_drawers (
      collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
      drawer_id TEXT NOT NULL REFERENCES drawers(drawer_id) ON DELETE CASCADE,
      is_member INTEGER NOT NULL,
      PRIMARY KEY (collection_id, drawer_id)
    ) WITHOUT ROWID;
    CREATE INDEX collection_drawers_by_drawer ON collection_drawers(drawer_id);
  `);
}

/** Tasks of agents. An id is not used again, so that it keeps its meaning in a text. */
function leaveTasks(database: Database): void {
  database.exec(`
    CREATE TABLE tasks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      text TEXT NOT NULL,
      agent TEXT,
      added_by TEXT NOT NULL,
      added_at TEXT NOT NULL,
      taken_by TEXT,
      taken_at TEXT,
      done_by TEXT,
      done_at TEXT,
      result TEXT
    );
  `);
}
