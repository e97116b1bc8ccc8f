import { existsSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../common/errors.js';
import { makeFolder } from '../common/make-folder.js';
import { PRIVATE_FILE } from '../common/modes.js';
import { explainOpening } from './failures.js';
import { networkFileSystem } from './file-system.js';
import { setJournal } from './journal.js';
import { keepingBackup } from './kept-backups.js';
import { formatModel, type ModelIdentity } from './model-identity.js';
import { makePrivate, refuseForeignHands } from './ownership.js';
import { palaceFile } from './palace-file.js';
import { migrate as migrateSchema, refuseNewer, SCHEMA_VERSION, schemaVersion } from './schema.js';
import { addVectorFunctions } from './vector-functions.js';

/**
 * Larger than any palace of one person; the operating system maps only what is read. For readers: a writer that maps the file carries all of it in its resident memory (690 MB instead of 430 for
 * a session of 200 MB).
 */
const MMAP_BYTES = 4 * 1024 ** 3;
const PAGE_BYTES = 8192;
const BUSY_MS = 5_000;

/** For who cannot wait long. */
export interface ReadingOptions {
  /** How long a program that holds the palace is waited for, in milliseconds; default 5,000. */
  waitMs?: number;
  /** False: a palace of an earlier version is refused instead of brought up to date. */
  migrate?: boolean;
}

/**
 * Opens the palace for reading; never creates or changes anything but SQLite's own `-shm` and `-wal`, except
 * that a palace of an earlier version is brought up to date first, when a backup of it has been kept.
 *
 * @throws UserError `not-found`, `palace-newer`, `palace-damaged`, `unreadable`, `locked`, `failed` (others may write
 *   it, or it is of an earlier version)
 */
export function openForReading(
  folder: string,
  { waitMs = BUSY_MS, migrate = true }: ReadingOptions = {},
): Database.Database {
  const file = palaceFile(folder);
  if (!existsSync(file)) {
    throw new UserError('not-found', `there is no palace at ${folder}`, {
      hint: 'fill one with `mempalace-docs <dir>` or `mempalace-session`, or name another with --palace',
    });
  }
  refuseForeignHands(folder);
  return guarded(file, () => {
    const open = () => new Database(file, { readonly: true, fileMustExist: true, timeout: waitMs });
    let database = open();
    if (isOlder(database)) {
      database.close();
      if (!migrate) {
        throw new UserError('failed', `the palace at ${folder} is of an earlier version`, {
          hint: 'any other command brings it up to date',
        });
      }
      bringUpToDate(folder);
      database = open();
    }
    return closeOnError(database, () => {
      refuseNewer(database, file);
      if (schemaVersion(database) === 0) {
        throw new UserError('not-found', `the palace at ${folder} is empty`, {
          hint: 'fill it with `mempalace-docs <dir>` or `mempalace-session`',
        });
      }
      if (networkFileSystem(folder) === undefined) database.pragma(`mmap_size = ${MMAP_BYTES}`);
    });
  });
}

/**
 * The schema version of a palace as it lies there: unlike `openForReading` this migrates nothing. 0: no schema yet.
 *
 * @throws UserError `palace-damaged`, `unreadable`, `failed`
 */
export function storedSchema(folder: string): number {
  const file = palaceFile(folder);
  return guarded(file, () => {
    const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
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
): Database.Database {
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

function isOlder(database: Database.Database): boolean {
  let version = 0;
  closeOnError(database, () => {
    version = schemaVersion(database);
  });
  return version > 0 && version < SCHEMA_VERSION;
}

/** Whoever opens the palace next meets this, whatever the command: no flag of its own can be the way out. */
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
function migrateWhole(folder: string, database: Database.Database, backup: boolean, work: () => void): void {
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

function storedDimension(database: Database.Database): number {
  const row = database.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'model'").get();
  return Number(row?.value.split('/').at(-1));
}

/** A palace holds the vectors of one model; a new palace takes the one it is opened with. */
function checkModel(database: Database.Database, model: ModelIdentity, file: string): void {
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

function closeOnError(database: Database.Database, prepare: () => void): Database.Database {
  try {
    prepare();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function guarded<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw explainOpening(error, file);
  }
}
