import { inflateRawSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { pathOfKey } from '../../../core/source-key.js';
import { declaredTypeOf } from '../../../core/source-type.js';

/** What agents need to go on: types of documents. */
export function continueWork(database: Database): void {
  declareTypes(database);
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
