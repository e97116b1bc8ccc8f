import { existsSync, writeFileSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import { PRIVATE_FILE } from '../../core/modes.js';
import { makeFolder } from '../../platform/make-folder.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';
import { explainOpening } from './failures.js';
import { networkFileSystem } from './file-system.js';
import { setJournal } from './journal.js';
import { keepingBackup } from './kept-backups.js';
import { formatModel, type ModelIdentity, parseModel } from './model.js';
import { makePrivate, refuseForeignHands } from './ownership.js';
import { palaceFile } from './palace-file.js';
import { migrate, refuseNewer, SCHEMA_VERSION, schemaVersion } from './schema.js';
import { addVectorFunctions } from './sql.js';
import { readUnwritable } from './unwritable.js';

const PAGE_BYTES = 8192;
/**
 * Larger than any palace of one person; the operating system maps only what is read. For readers only: a writer that maps
 * the file carries all of it in its resident memory (690 MB instead of 430 for a session of 200 MB).
 */
const MMAP_BYTES = 4 * 1024 ** 3;
/** How long to wait for another program's lock on the palace. */
const BUSY_MS = 5_000;

/**
 * Opens the palace for reading; creates and changes nothing but SQLite's own `-shm` and `-wal`. A palace in a folder that
 * cannot be written is read into memory.
 *
 * @param options.waitMs how long to wait for a program that locks the palace
 * @param options.migrate false: a palace of an earlier version is refused, for callers that cannot wait
 * @throws UserError `not-found`, `palace-newer`, `palace-damaged`, `unreadable`, `locked`, `failed` (others may write
 *   it, or it is of an earlier version); and what `bringUpToDate` throws
 */
export function openForReading(
  folder: string,
  { waitMs = BUSY_MS, migrate: mayMigrate = true } = {},
): Database {
  const file = palaceFile(folder);
  const hint = 'fill one with `mempalace-docs <dir>` or `mempalace-session`, or name another with --palace';
  if (!existsSync(file)) throw new UserError('not-found', `there is no palace at ${folder}`, { hint });
  refuseForeignHands(folder);
  return guarded(file, () => {
    let database = readable(file, waitMs);
    if (isOlder(database)) {
      database.close();
      if (!mayMigrate) {
        throw new UserError('failed', `the palace at ${folder} is of an earlier version`, {
          hint: 'any other command brings it up to date',
        });
      }
      bringUpToDate(folder);
      database = openReadonly(file, waitMs);
    }
    return closeOnError(database, () => {
      refuseNewer(database, file);
      if (schemaVersion(database) === 0)
        throw new UserError('not-found', `the palace at ${folder} is empty`, { hint });
      if (networkFileSystem(folder) === undefined) database.pragma(`mmap_size = ${MMAP_BYTES}`);
    });
  });
}

/**
 * The schema version of a palace as it is: unlike `openForReading` this migrates nothing. 0: no schema yet.
 *
 * @throws UserError `palace-damaged`, `unreadable`, `failed`
 */
export function storedSchema(folder: string): number {
  const file = palaceFile(folder);
  return guarded(file, () => {
    const database = readable(file, BUSY_MS);
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
        migrate(database, model.dimension);
        checkModel(database, model, file);
      });
    });
  });
}

/** The next command that opens the palace meets this, whichever it is: a flag of one command cannot be the way out. */
const NO_SPACE = 'make room, or keep it elsewhere: mempalace backup --migrate <file on another disk>';

/**
 * Migrates the palace of an earlier version; the vectors' dimension is that of its model.
 *
 * @param backup false where the caller has made one already
 */
export function bringUpToDate(folder: string, backup = true): void {
  const database = new Database(palaceFile(folder), { fileMustExist: true, timeout: BUSY_MS });
  closeOnError(database, () => {
    addVectorFunctions(database);
    database.pragma('secure_delete = ON');
    const { dimension = Number.NaN } = parseModel(modelIn(database) ?? '') ?? {};
    migrateWhole(folder, database, backup, () => migrate(database, dimension));
  }).close();
}

/**
 * Does `work` in one transaction. The backup of an older palace is made inside it, when no other program can write or
 * migrate, and contains what was there before.
 */
function migrateWhole(folder: string, database: Database, backup: boolean, work: () => void): void {
  const toTheEnd = () => {
    work();
    database.exec('COMMIT');
  };
  database.exec('BEGIN IMMEDIATE');
  try {
    if (backup && isOlder(database)) keepingBackup(folder, 'migration', NO_SPACE, toTheEnd);
    else toTheEnd();
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A palace stores vectors of one model; a new palace takes the one it is opened with. */
function checkModel(database: Database, model: ModelIdentity, file: string): void {
  const stored = modelIn(database);
  const wanted = formatModel(model);
  if (stored === undefined) {
    database.prepare("INSERT INTO meta(key, value) VALUES ('model', ?)").run(wanted);
  } else if (stored !== wanted) {
    throw new UserError('failed', `${file} stores vectors of the model ${stored}, not of ${wanted}`, {
      hint: 'mempalace reembed makes vectors of another model; or use another palace (--palace)',
    });
  }
}

function modelIn(database: Database): string | undefined {
  return database.prepare<[], string>("SELECT value FROM meta WHERE key = 'model'").pluck().get();
}

function openReadonly(file: string, waitMs: number): Database {
  return new Database(file, { readonly: true, fileMustExist: true, timeout: waitMs });
}

/** An open palace whose header could be read. One in a folder that cannot be written is read into memory. */
function readable(file: string, waitMs: number): Database {
  try {
    const database = openReadonly(file, waitMs);
    return closeOnError(database, () => schemaVersion(database));
  } catch (error) {
    const refused = isSqliteError(error) && /^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code);
    const database = refused ? readUnwritable(file) : undefined;
    if (database === undefined) throw error;
    return database;
  }
}

function isOlder(database: Database): boolean {
  const version = schemaVersion(database);
  return version > 0 && version < SCHEMA_VERSION;
}

/** Closes the database when what prepares it throws. */
function closeOnError(database: Database, prepare: () => void): Database {
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
