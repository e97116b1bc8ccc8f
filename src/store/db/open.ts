import { writeFileSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import { PRIVATE_FILE } from '../../core/modes.js';
import { makeFolder } from '../../platform/make-folder.js';
import { Database } from '../../platform/sqlite.js';
import { setJournal } from './journal.js';
import { keepingBackup } from './kept-backups.js';
import { formatModel, type ModelIdentity } from './model-identity.js';
import { BUSY_MS, closeOnError, guarded, opened } from './open-reading.js';
import { makePrivate, refuseForeignHands } from './ownership.js';
import { palaceFile } from './palace-file.js';
import { migrate as migrateSchema } from './schema.js';
import { refuseNewer, SCHEMA_VERSION, schemaVersion } from './schema-version.js';
import { addVectorFunctions } from './sql.js';

const PAGE_BYTES = 8192;

/**
 * The schema version of a palace as it lies there: unlike `openForReading` this migrates nothing. 0: no schema yet.
 *
 * @throws UserError `palace-damaged`, `unreadable`, `failed`
 */
export function storedSchema(folder: string): number {
  const file = palaceFile(folder);
  return guarded(file, () => {
    const open = () => new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    const { database } = opened(open, file);
    try {
      return schemaVersion(database);
    } finally {
      database.close();
    }
  });
}

/**
 * Opens the palace for writing, made (folder 0700, file 0600) and migrated as needed.
 *
 * @param options.backup false: none is kept before a migration
 * @throws UserError `palace-newer`, `palace-damaged`, `unreadable`, `locked`, `failed` (another model's palace, a full
 *   disk, others may write it)
 */
export function openForWriting(
  folder: string,
  model: ModelIdentity,
  options: { backup?: boolean } = {},
): Database {
  const file = palaceFile(folder);
  refuseForeignHands(folder);
  return guarded(file, () => {
    makeFolder(folder);
    writeFileSync(file, '', { flag: 'a', mode: PRIVATE_FILE });
    makePrivate(folder);
    const database = new Database(file, { timeout: BUSY_MS });
    return closeOnError(database, () => {
      refuseNewer(database, file);
      addVectorFunctions(database);
      if (schemaVersion(database) === 0) {
        database.pragma(`page_size = ${PAGE_BYTES}`);
        database.pragma('auto_vacuum = INCREMENTAL');
      }
      setJournal(database);
      // FULL, not the build's NORMAL: after a power cut the last acknowledged run must still be there.
      database.pragma('synchronous = FULL');
      database.pragma('secure_delete = ON');
      database.pragma('foreign_keys = ON');
      // Together: a palace never has a schema without a model.
      migrateWhole(folder, database, options.backup !== false, () => {
        migrateSchema(database, model.dimension);
        checkModel(database, model, file);
      });
    });
  });
}

/** The next command that opens the palace meets this, whichever it is: no flag of one command can be the way out. */
const NO_ROOM = 'make room, or keep it elsewhere: mempalace backup --migrate <file on another disk>';

/**
 * Migrates the palace of an earlier version; the vectors' dimension is that of its model.
 *
 * @param backup false where somebody has made one already
 */
export function bringUpToDate(folder: string, backup = true): void {
  const file = palaceFile(folder);
  const database = new Database(file, { fileMustExist: true, timeout: BUSY_MS });
  closeOnError(database, () => {
    addVectorFunctions(database);
    database.pragma('secure_delete = ON');
    migrateWhole(folder, database, backup, () => migrateSchema(database, storedDimension(database)));
  }).close();
}

/**
 * Does `work` in one transaction. The backup of an older palace is made inside it, when it is known that nobody else
 * writes or migrates, and it is of what was there before.
 */
function migrateWhole(folder: string, database: Database, backup: boolean, work: () => void): void {
  const toTheEnd = () => {
    work();
    database.exec('COMMIT');
  };
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = schemaVersion(database);
    if (backup && version > 0 && version < SCHEMA_VERSION)
      keepingBackup(folder, 'migration', NO_ROOM, toTheEnd);
    else toTheEnd();
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function storedDimension(database: Database): number {
  const row = database.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'model'").get();
  return Number(row?.value.split('/').at(-1));
}

/** A palace holds the vectors of one model; a new palace takes the one it is opened with. */
function checkModel(database: Database, model: ModelIdentity, file: string): void {
  const read = database.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const stored = read.get('model');
  const wanted = formatModel(model);
  if (stored === undefined) {
    database.prepare("INSERT INTO meta(key, value) VALUES ('model', ?)").run(wanted);
  } else if (stored.value !== wanted) {
    throw new UserError('failed', `${file} holds vectors of the model ${stored.value}, not of ${wanted}`, {
      hint: 'mempalace reembed makes vectors of another model; or use another palace (--palace)',
    });
  }
}
