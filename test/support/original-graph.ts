import Database from 'better-sqlite3';

/** The tables of MemPalace 3.3's `knowledge_graph.sqlite3`. */
const SCHEMA = `
  CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT DEFAULT 'unknown', properties TEXT DEFAULT '{}', created_at TEXT DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE triples (id TEXT PRIMARY KEY, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, valid_from TEXT, valid_to TEXT, confidence REAL DEFAULT 1.0, source_closet TEXT, source_file TEXT, source_drawer_id TEXT, adapter_name TEXT, extracted_at TEXT DEFAULT CURRENT_TIMESTAMP);
  CREATE INDEX idx_triples_subject ON triples(subject);
  CREATE INDEX idx_triples_object ON triples(object);
  CREATE INDEX idx_triples_predicate ON triples(predicate);
  CREATE INDEX idx_triples_valid ON triples(valid_from, valid_to);
`;

export type OriginalFact = [
  subject: string,
  predicate: string,
  object: string,
  from?: string | null,
  to?: string | null,
];

/** Writes such a file, in WAL mode like the original, or adds rows to it. */
export function originalGraph(file: string, facts: readonly OriginalFact[]): string {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'triples'").get();
  if (there === undefined) database.exec(SCHEMA);
  const idOf = (name: string) => name.toLowerCase().replaceAll(' ', '_').replaceAll("'", '');
  const entity = database.prepare('INSERT OR IGNORE INTO entities (id, name) VALUES (?, ?)');
  const triple = database.prepare(
    'INSERT INTO triples (id, subject, predicate, object, valid_from, valid_to, source_file) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  facts.forEach(([subject, predicate, object, from = null, to = null], n) => {
    for (const name of [subject, object]) entity.run(idOf(name), name);
    triple.run(`t_${n}_${Math.random()}`, idOf(subject), predicate, idOf(object), from, to, 'notes.md');
  });
  database.close();
  return file;
}
