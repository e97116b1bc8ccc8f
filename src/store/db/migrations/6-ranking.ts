import type { Database } from 'better-sqlite3';
import { kindOfPiece } from '../../tables/sources.js';

/** The kind of each document's text: null for conversations, and where the text cannot be read. */
export function rankByMore(database: Database): void {
  database.exec('ALTER TABLE sources ADD COLUMN text_kind TEXT');
  database.function('text_kind_of', (sourceKey: string, body: Buffer | null) => {
    try {
      return kindOfPiece(sourceKey, body ?? undefined);
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
