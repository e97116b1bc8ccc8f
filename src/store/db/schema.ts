import type { Database } from 'better-sqlite3';
import { UserError } from '../../core/errors.js';
import { createPalace } from './migrations/1-palace.js';
import { packCodesAndRankMore } from './migrations/2-codes-and-priorities.js';
import { rememberWhatWasForgotten } from './migrations/3-tombstones.js';
import { keepFacts } from './migrations/4-knowledge-graph.js';
import { rememberTurnsAndPriorityOrigins } from './migrations/5-turns-and-priority-origins.js';
import { rankByMore } from './migrations/6-ranking.js';
import { continueWork } from './migrations/7-continuity.js';
import { relateSessions } from './migrations/8-relations.js';
import { nameMessagesAndFindMore } from './migrations/9-lost-messages-and-words.js';

/**
 * Numbered, forward-only migrations: index + 1 is the schema version they lead to, stored in `user_version`.
 * A migration that has shipped is never edited.
 */
const MIGRATIONS: readonly ((database: Database, dimension: number) => void)[] = [
  createPalace,
  packCodesAndRankMore,
  rememberWhatWasForgotten,
  keepFacts,
  rememberTurnsAndPriorityOrigins,
  rankByMore,
  continueWork,
  relateSessions,
  nameMessagesAndFindMore,
];

/** The schema version that this program writes. */
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
    { hint: 'update mempalace-toolkit: ./install.sh --update in its checkout, or a newer package' },
  );
}

/**
 * Brings the palace to `SCHEMA_VERSION`; to be called inside a transaction, so that no step is half done.
 *
 * @param dimension of the palace's vectors
 */
export function migrate(database: Database, dimension: number): void {
  for (const migration of MIGRATIONS.slice(schemaVersion(database))) migration(database, dimension);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}
