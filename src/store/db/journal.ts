import { dirname } from 'node:path';
import { pause } from '../../platform/pause.js';
import { type Database, isSqliteError } from '../../platform/sqlite.js';
import { networkFileSystem } from './file-system.js';
import { schemaVersion } from './schema.js';

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/**
 * Sets the journal mode for the disk of the palace: a WAL, so that readers and a writer do not wait for each other, or a
 * rollback journal on a network file system. Switching ignores the busy timeout, so it is retried here. A palace that
 * another program keeps open is not switched.
 */
export function setJournal(database: Database): void {
  const mode = networkFileSystem(dirname(database.name)) === undefined ? 'WAL' : 'DELETE';
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.pragma(`journal_mode = ${mode}`);
      return;
    } catch (error) {
      const busy = isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
      if (!busy) throw error;
      if (attempt === ATTEMPTS) {
        if (schemaVersion(database) > 0) return;
        throw error;
      }
      pause(PAUSE_MS);
    }
  }
}
