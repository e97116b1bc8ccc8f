import type { Database } from 'better-sqlite3';
import { UserError } from '../../core/errors.js';

/** The schema version this program writes: as many as there are migrations, see schema.ts. */
export const SCHEMA_VERSION = 5;

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
