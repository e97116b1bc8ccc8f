import { inflateRawSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { pathOfKey } from '../../../core/source-key.js';
import { textKindOf } from '../../../core/text-kind.js';

/**
 * The kind of each document's text: null for conversations, and where the text cannot be read. Rows of texts without a vector
 * get numbers, which palaces of the first versions do not have.
 */
export function rankByMore(database: Database): void {
  database.exec('ALTER TABLE sources ADD COLUMN text_kind TEXT');
  const columns = database.pragma('table_info(unfiled_vectors)') as { name: string }[];
  if (!columns.some(({ name }) => name === 'id')) {
    database.exec(`
      CREATE TABLE numbered (id INTEGER PRIMARY KEY, text_hash BLOB NOT NULL UNIQUE, embedding BLOB NOT NULL);
      INSERT INTO numbered(text_hash, embedding) SELECT text_hash, embedding FROM unfiled_vectors;
      DROP TABLE unfiled_vectors;
      ALTER TABLE numbered RENAME TO unfiled_vectors;
    `);
  }
  database.function('text_kind_of', (sourceKey: string, body: Buffer | null) => {
    try {
      return textKindOf(pathOfKey(sourceKey), body === null ? '' : inflateRawSync(body).toString('utf8'));
    } catch {
      // Damaged text does not keep a palace from opening; `verify` reports it.
      return null;
    }
  });
  database.exec(`
    UPDATE sources SET text_kind = text_kind_of(
      source_key, (SELECT body FROM source_texts t WHERE t.source_id = sources.id AND t.seq = 0)
    ) WHERE kind = 'document'
  `);
}
