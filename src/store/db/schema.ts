import type { Database } from 'better-sqlite3';
import { createPalace } from './migrations/1-palace.js';
import { packCodesAndRankMore } from './migrations/2-codes-and-priorities.js';
import { rememberWhatWasForgotten } from './migrations/3-tombstones.js';
import { keepFacts } from './migrations/4-knowledge-graph.js';
import { rememberTurnsAndPriorityOrigins } from './migrations/5-turns-and-priority-origins.js';
import { SCHEMA_VERSION, schemaVersion } from './schema-version.js';

type Migration = (database: Database, dimension: number) => void;

/**
 * Numbered, forward-only migrations: index + 1 is the schema version they lead to, kept in `user_version`.
 * A migration that has shipped is never edited.
 */
const MIGRATIONS = [
  createPalace,
  packCodesAndRankMore,
  rememberWhatWasForgotten,
  keepFacts,
  rememberTurnsAndPriorityOrigins,
] as const satisfies readonly Migration[] & { length: typeof SCHEMA_VERSION };

/**
 * Brings the palace to `SCHEMA_VERSION`; to be called inside a transaction, so that no step is half done.
 *
 * @param dimension of the palace's vectors
 */
export function migrate(database: Database, dimension: number): void {
  for (const migration of MIGRATIONS.slice(schemaVersion(database)) as Migration[])
    migration(database, dimension);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}
