import { UserError } from '../../core/errors.js';
import { Database } from '../../platform/sqlite.js';
import { columnsOf, explainChroma, tablesOf } from './open.js';

const BUSY_MS = 5_000;
const TRIPLES = 'triples';
const NEEDED = ['subject', 'predicate', 'object'];

/** A row of MemPalace's knowledge graph. Columns that its version does not have are null. */
export interface TheirFact {
  /** An entity's name, or its id when the entity has no row. */
  subject: unknown;
  predicate: unknown;
  object: unknown;
  valid_from: unknown;
  valid_to: unknown;
  confidence: unknown;
  source_closet: unknown;
  source_file: unknown;
  source_drawer_id: unknown;
  adapter_name: unknown;
  extracted_at: unknown;
}

/**
 * The facts in MemPalace's `knowledge_graph.sqlite3`, in the order of their rows. The file is opened read-only.
 *
 * @throws UserError `unreadable` for another file or a damaged one
 */
export function theirFacts(file: string): TheirFact[] {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    const tables = tablesOf(database);
    const columns = columnsOf(database, TRIPLES);
    if (!tables.has('entities') || !NEEDED.every((name) => columns.has(name))) {
      throw new UserError('unreadable', `${file} is not a knowledge graph of MemPalace`, {
        hint: 'a knowledge graph has the tables entities and triples; mempalace import-chroma imports a palace',
      });
    }
    return database
      .prepare<[], Record<string, unknown>>(
        `SELECT t.*, coalesce(s.name, t.subject) AS subject, coalesce(o.name, t.object) AS object FROM triples t
         LEFT JOIN entities s ON s.id = t.subject LEFT JOIN entities o ON o.id = t.object ORDER BY t.rowid`,
      )
      .all()
      .map(({ subject, predicate, object, ...row }) => ({
        subject,
        predicate,
        object,
        valid_from: row.valid_from ?? null,
        valid_to: row.valid_to ?? null,
        confidence: row.confidence ?? null,
        source_closet: row.source_closet ?? null,
        source_file: row.source_file ?? null,
        source_drawer_id: row.source_drawer_id ?? null,
        adapter_name: row.adapter_name ?? null,
        extracted_at: row.extracted_at ?? null,
      }));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw explainChroma(error, file);
  } finally {
    database?.close();
  }
}
