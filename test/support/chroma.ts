import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** The tables of Chroma 1.5 with the content of a MemPalace palace, without its full-text index and queue. */
const SCHEMA = `
  CREATE TABLE migrations (dir TEXT NOT NULL, version INTEGER NOT NULL, filename TEXT NOT NULL, sql TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (dir, version));
  CREATE TABLE tenants (id TEXT PRIMARY KEY, UNIQUE (id));
  CREATE TABLE databases (id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant_id TEXT NOT NULL);
  CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER, database_id TEXT NOT NULL, config_json_str TEXT, schema_str TEXT, UNIQUE (name, database_id));
  CREATE TABLE collection_metadata (collection_id TEXT, key TEXT NOT NULL, str_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (collection_id, key));
  CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, collection TEXT NOT NULL);
  CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL, seq_id BLOB NOT NULL, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (segment_id, embedding_id));
  CREATE TABLE embedding_metadata (id INTEGER REFERENCES embeddings(id), key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
  CREATE TABLE max_seq_id (segment_id TEXT PRIMARY KEY, seq_id INTEGER NOT NULL);
`;

export interface ChromaRow {
  id: string;
  /** Null: a row that lost its text. Undefined: a row that never had a text. */
  document?: string | null;
  metadata: Record<string, string | number | boolean>;
}

/** Writes a palace of MemPalace 3.3 in Chroma's layout; returns its folder. */
export function makeChroma(folder: string, collections: Record<string, readonly ChromaRow[]>): string {
  mkdirSync(folder, { recursive: true });
  const database = new Database(join(folder, 'chroma.sqlite3'));
  database.pragma('synchronous = OFF');
  database.exec(SCHEMA);
  database.transaction(() => {
    for (const [name, rows] of Object.entries(collections)) {
      const insert = database.prepare('INSERT INTO segments VALUES (?, ?, ?, ?)');
      database.prepare('INSERT INTO collections VALUES (?, ?, 384, ?, ?, NULL)').run(name, name, 'db', '{}');
      insert.run(`${name}-vector`, 'urn:chroma:segment/vector/hnsw-local-persisted', 'VECTOR', name);
      insert.run(`${name}-metadata`, 'urn:chroma:segment/metadata/sqlite', 'METADATA', name);
      for (const row of rows) addRow(database, `${name}-metadata`, row);
    }
  })();
  database.close();
  return folder;
}

function addRow(database: Database.Database, segment: string, { id, document, metadata }: ChromaRow): void {
  const { lastInsertRowid: row } = database
    .prepare('INSERT INTO embeddings (segment_id, embedding_id, seq_id) VALUES (?, ?, 1)')
    .run(segment, id);
  const insert = database.prepare('INSERT INTO embedding_metadata VALUES (?, ?, ?, ?, ?, ?)');
  if (document !== undefined) insert.run(row, 'chroma:document', document, null, null, null);
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value === 'string') insert.run(row, key, value, null, null, null);
    else if (typeof value === 'boolean') insert.run(row, key, null, null, null, value ? 1 : 0);
    else if (Number.isInteger(value)) insert.run(row, key, null, value, null, null);
    else insert.run(row, key, null, null, value, null);
  }
}

/** Cuts a text as MemPalace does: windows of 800 characters that overlap by 100, stripped, those below 50 dropped. */
export function theirChunks(whole: string): string[] {
  const text = whole.trim();
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + 800, text.length);
    if (end < text.length) {
      const window = text.slice(start, end);
      const borders = [window.lastIndexOf('\n\n'), window.lastIndexOf('\n')];
      const border = borders.find((at) => at > 400);
      if (border !== undefined) end = start + border;
    }
    const chunk = text.slice(start, end).trim();
    if (chunk.length >= 50) chunks.push(chunk);
    if (end >= text.length) break;
    start = end - 100;
  }
  return chunks;
}
