import { UserError } from '../../core/errors.js';
import { Database } from '../../platform/sqlite.js';
import { columnsOf, explainChroma, tablesOf } from './open.js';

const BUSY_MS = 5_000;
const TRIPLES = 'triples';
const NEEDED = ['subject', 'predicate', 'object'];

/** A row of their knowledge graph as it is written there; what a version of it does not have is null. */
export interface TheirFact {
  /** Names of entities; the id of one that has no row. */
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
 * The facts in MemPalace's `knowledge_graph.sqlite3`, in the order in which they were told; opened for reading only.
 *
 * @throws UserError `unreadable` for what is no such file, or a damaged one
 */
export function theirFacts(file: string): TheirFact[] {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    const tables = tablesOf(database);
    const columns = columnsOf(database, TRIPLES);
    if (!tables.has('entities') || !NEEDED.every((name) => columns.has(name))) {
      throw new UserError('unreadable', `${file} is not a knowledge graph of MemPalace`, {
        hint: 'that has the tables entities and triples; mempalace import-chroma takes a palace',
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
