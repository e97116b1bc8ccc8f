import { dirname } from 'node:path';
import { type Database, isSqliteError } from '../../platform/sqlite.js';
import { networkFileSystem } from './file-system.js';
import { schemaVersion } from './schema.js';

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/**
 * Gives a palace the journal that suits the disk it lies on: a write-ahead log, so that readers and a writer do not wait
 * for each other, or a rollback journal on a file system that several machines share. Switching does not honour the
 * busy timeout, so a second process may have to try again; a palace that somebody keeps open stays as it is.
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
