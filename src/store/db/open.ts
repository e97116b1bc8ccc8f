import { statSync, writeFileSync } from 'node:fs';
import { isErrno, UserError } from '../../core/errors.js';
import { PRIVATE_FILE } from '../../core/modes.js';
import { makeFolder } from '../../platform/make-folder.js';
import { Database, isSqliteError } from '../../platform/sqlite.js';
import { type Claim, claimPalaceNow } from '../../platform/writers.js';
import { Renewal } from '../index/renewal.js';
import { explainOpening } from './failures.js';
import { networkFileSystem } from './file-system.js';
import { setJournal } from './journal.js';
import { keepingBackup } from './kept-backups.js';
import { formatModel, type ModelIdentity, parseModel } from './model.js';
import { makePrivate, refuseForeignHands } from './ownership.js';
import { palaceFile } from './palace-file.js';
import { migrate, refuseNewer, SCHEMA_VERSION, schemaVersion } from './schema.js';
import { readShared } from './shared-reading.js';
import { addVectorFunctions, Sql } from './sql.js';
import { readUnwritable } from './unwritable.js';

const PAGE_BYTES = 8192;
/**
 * Larger than any palace of one person; the operating system maps only pages that are read. For readers only: a writer that maps
 * the file carries all of it in its resident memory (690 MB instead of 430 for a session of 200 MB).
 */
const MMAP_BYTES = 4 * 1024 ** 3;
const BUSY_MS = 5_000;

export function noPalace(folder: string, message = `there is no palace at ${folder}`): UserError {
  const hint = 'fill one with `mempalace-docs <dir>` or `mempalace-session`, or name another with --palace';
  return new UserError('not-found', message, { hint });
}

/**
 * Unlike `palaceExists`, it does not take a folder that may not be read for one without a palace.
 *
 * @throws UserError `not-found`; the file system's error
 */
export function requirePalace(folder: string): void {
  try {
    if (statSync(palaceFile(folder), { throwIfNoEntry: false }) !== undefined) return;
  } catch (error) {
    if (!isErrno(error, 'ENOTDIR')) throw error;
  }
  throw noPalace(folder);
}

/**
 * Opens the palace for reading; creates and changes only SQLite's `-shm` and `-wal`. A palace in a read-only folder is
 * read into memory, and so is one that another machine writes.
 *
 * @param options.waitMs wait for a program that locks the palace
 * @param options.migrate false: a palace of an earlier version is refused, for callers that cannot wait
 * @throws UserError `not-found`, `palace-newer`, `palace-damaged`, `unreadable`, `locked`, `failed` (others may write
 *   it, or it has an earlier version); and errors of `bringUpToDate`
 */
export function openForReading(
  folder: string,
  { waitMs = BUSY_MS, migrate: mayMigrate = true } = {},
): Database {
  const file = palaceFile(folder);
  return guarded(file, () => {
    requirePalace(folder);
    refuseForeignHands(folder);
    let database = readable(file, waitMs);
    if (isOlder(database)) {
      database.close();
      if (!mayMigrate) {
        throw new UserError('failed', `the palace at ${folder} is of an earlier version`, {
          hint: 'any other command brings it up to date',
        });
      }
      bringUpToDate(folder);
      database = readable(file, waitMs);
    }
    return closeOnError(database, () => {
      refuseNewer(database, file);
      if (schemaVersion(database) === 0) throw noPalace(folder, `the palace at ${folder} is empty`);
      if (networkFileSystem(folder) === undefined) database.pragma(`mmap_size = ${MMAP_BYTES}`);
    });
  });
}

/**
 * The schema version of a palace, read without migrating it. 0: no schema yet.
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
 * Opens the palace for writing; creates it (folder 0700, file 0600) or migrates it as needed.
 *
 * @returns with the right to write it, to be released when it is closed
 * @param options.backup false: no backup before a migration
 * @throws UserError `palace-newer`, `palace-damaged`, `unreadable`, `locked`, `failed` (another model's palace, a full
 *   disk, others may write it)
 */
export function openForWriting(
  folder: string,
  model: ModelIdentity,
  options: { backup?: boolean } = {},
): { database: Database; claim: Claim } {
  const file = palaceFile(folder);
  refuseForeignHands(folder);
  return guarded(file, () => {
    makeFolder(folder);
    const claim = claimPalaceNow(folder);
    try {
      return { claim, database: openClaimed(folder, model, claim, options.backup !== false) };
    } catch (error) {
      claim.release();
      throw error;
    }
  });
}

function openClaimed(folder: string, model: ModelIdentity, claim: Claim, backup: boolean): Database {
  const file = palaceFile(folder);
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
    // FULL, not the build's NORMAL: the last acknowledged run must survive a power cut.
    database.pragma('synchronous = FULL');
    database.pragma('secure_delete = ON');
    database.pragma('foreign_keys = ON');
    // In one transaction: a palace never has a schema without a model.
    migrateWhole(database, claim, { folder, backup }, () => {
      const isNew = schemaVersion(database) === 0;
      migrate(database, model.dimension);
      checkModel(database, model, file);
      if (isNew) new Renewal(new Sql(database)).complete();
    });
  });
}

/** Any command may migrate the palace, so the hint cannot name a flag of one command. */
const NO_SPACE = 'make room, or keep it elsewhere: mempalace backup --migrate <file on another disk>';

/**
 * Migrates a palace of an earlier version.
 *
 * @param backup false if the caller has made one already
 */
export function bringUpToDate(folder: string, backup = true): void {
  const claim = claimPalaceNow(folder);
  try {
    const database = new Database(palaceFile(folder), { fileMustExist: true, timeout: BUSY_MS });
    closeOnError(database, () => {
      addVectorFunctions(database);
      database.pragma('secure_delete = ON');
      const { dimension = Number.NaN } = parseModel(modelIn(database) ?? '') ?? {};
      migrateWhole(database, claim, { folder, backup }, () => migrate(database, dimension));
    }).close();
  } finally {
    claim.release();
  }
}

/**
 * Runs `work` in one transaction. The backup of an older palace is made inside it, when no other program can write or
 * migrate; it contains the state before the transaction.
 */
function migrateWhole(
  database: Database,
  claim: Claim,
  { folder, backup }: { folder: string; backup: boolean },
  work: () => void,
): void {
  const workAndCommit = () => {
    work();
    database.exec('COMMIT');
  };
  database.exec('BEGIN IMMEDIATE');
  try {
    claim.check();
    if (backup && isOlder(database)) keepingBackup(folder, 'migration', NO_SPACE, workAndCommit);
    else workAndCommit();
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A palace stores vectors of one model; a new palace gets the model with which it is opened. */
function checkModel(database: Database, model: ModelIdentity, file: string): void {
  const wanted = formatModel(model);
  database.prepare("INSERT INTO meta(key, value) VALUES ('model', ?) ON CONFLICT DO NOTHING").run(wanted);
  const stored = modelIn(database);
  if (stored !== wanted) {
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

/** Opens a palace and reads its header. A palace that another machine writes, or in a read-only folder, is read into memory. */
function readable(file: string, waitMs: number): Database {
  const shared = readShared(file);
  if (shared !== undefined) return shared;
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

/** Closes the database when `prepare` throws. */
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
