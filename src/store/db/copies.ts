import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import type { TurnMark } from '../../core/turns.js';
import { Database } from '../../platform/sqlite.js';
import { type Fact, Facts } from '../tables/facts.js';
import { Forgetting, type Tombstone } from '../tables/forgetting.js';
import type { SourceView } from '../tables/reading.js';
import { type RunEnd, type RunStart, Runs } from '../tables/runs.js';
import { Sources, TURNS_SINCE } from '../tables/sources.js';
import { explainOpening } from './failures.js';
import { setJournal } from './journal.js';
import { type ModelIdentity, parseModel } from './model.js';
import { refuseNewer, schemaVersion } from './schema.js';
import { Sql } from './sql.js';

/** What a palace file says of itself. */
export interface PalaceFacts {
  schema: number;
  model: ModelIdentity;
  sources: number;
  drawers: number;
}

/** Pages copied between two reports: 16 MB. */
const PAGES_TOGETHER = 2_000;
/** How long another writer of the destination is waited for. */
const PATIENCE_MS = 10_000;
const BUSY_MS = 5_000;
/** Schema version. */
const FIRST_WITH_TOMBSTONES = 3;
const FIRST_WITH_FACTS = 4;

/** The files that SQLite keeps beside a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Removes a palace file with all that SQLite keeps beside it. */
export function removePalaceFile(file: string): void {
  for (const path of [file, ...COMPANIONS.map((end) => file + end)]) rmSync(path, { force: true });
}

/** Bytes of a palace with its log: what a copy of it takes at most. */
export function bytesOf(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/**
 * Looks into a file that is to be a palace: reads its facts and has SQLite check every page of it.
 *
 * @throws UserError `not-found`, `unreadable`, `palace-newer`, `palace-damaged` (not a palace, or a damaged one)
 */
export function inspectPalace(file: string): PalaceFacts {
  if (!existsSync(file)) throw new UserError('not-found', `there is no file ${file}`);
  return reading(file, (database) => {
    refuseNewer(database, file);
    const facts = factsOf(database);
    if (facts === undefined) throw notWhole(file, 'it contains no palace');
    const [wrong] = database.pragma('quick_check(1)') as { quick_check: string }[];
    if (wrong?.quick_check !== 'ok') throw notWhole(file, wrong?.quick_check ?? 'it cannot be checked');
    return facts;
  });
}

/**
 * Copies a palace, as it is at this moment, to a new file of its own (no log beside it, mode 0600, checked);
 * whatever is written meanwhile is not in it. The file is not synced yet.
 *
 * @throws UserError as `inspectPalace` does, of the palace or of its copy
 */
export async function copyPalace(
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<PalaceFacts> {
  makePrivateFile(to);
  await readingAsync(from, async (database) => {
    refuseNewer(database, from);
    // One read transaction over all of it: else every commit of a writer would restart the copy.
    database.exec('BEGIN');
    database.pragma('user_version');
    await database.backup(to, {
      progress({ totalPages, remainingPages }) {
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_TOGETHER;
      },
    });
    database.exec('COMMIT');
  });
  settleCopy(to);
  return inspectPalace(to);
}

/** Makes a palace that nobody has open one file: one in WAL mode cannot be read where no -shm can be created. */
export function settleCopy(file: string): void {
  opened(file, WRITING, (copy) => copy.pragma('journal_mode = DELETE'));
}

/** Records in a palace file that nobody has open, of any schema, what was done with it. */
export function recordRun(file: string, run: RunStart, end: RunEnd): void {
  opened(file, WRITING, (copy) => new Runs(new Sql(copy)).add(run, end));
}

/** A run during which a palace was copied. */
export interface CopyingRun {
  id: number;
  /** How far it had come; absent when it had changed nothing yet. */
  end?: RunEnd;
}

/** In a copy that nobody has open: its own run would look like one that was killed, for as long as the copy lasts. */
export function settleRun(file: string, { id, end }: CopyingRun): void {
  opened(file, WRITING, (copy) => {
    const runs = new Runs(new Sql(copy));
    if (end === undefined) runs.withdraw(id);
    else runs.end(id, end);
  });
}

/**
 * What a palace was told to forget, of any schema, newer ones included.
 *
 * @returns undefined when that cannot be read
 */
export function tombstonesIn(file: string): Tombstone[] | undefined {
  try {
    return reading(file, (database) =>
      schemaVersion(database) < FIRST_WITH_TOMBSTONES ? [] : new Forgetting(new Sql(database)).all(),
    );
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/**
 * How much a palace file has of these: sources of their keys, documents that lie where these do, and facts that were
 * taken from there or are meant themselves.
 */
export function countMatches(
  file: string,
  these: readonly Pick<SourceView, 'sourceKey' | 'kind' | 'origin'>[],
): number {
  const places = these.filter(({ kind }) => kind === 'document').map(({ origin }) => origin);
  const keys = JSON.stringify(these.map(({ sourceKey }) => sourceKey));
  return reading(file, (database) => {
    const sources = database
      .prepare(
        `SELECT count(*) FROM sources WHERE source_key IN (SELECT value FROM json_each(?))
         OR (kind = 'document' AND origin IN (SELECT value FROM json_each(?)))`,
      )
      .pluck()
      .get(keys, JSON.stringify(places));
    if (schemaVersion(database) < FIRST_WITH_FACTS) return Number(sources);
    const facts = database
      .prepare(
        `SELECT count(*) FROM triples WHERE triple_id IN (SELECT value FROM json_each(@keys))
         OR source_key IN (SELECT value FROM json_each(@keys))`,
      )
      .pluck()
      .get({ keys });
    return Number(sources) + Number(facts);
  });
}

/** The words of a source in a palace file. */
export interface SourceWords {
  kind: string;
  wing: string;
  versions: string;
  title: string;
  directory: string;
  /** The whole text, decompressed when it is asked for. */
  text(): string;
  /** Who speaks from where on; undefined where that is not known. */
  turns(): TurnMark[] | undefined;
}

/**
 * Whether a palace file, of any schema, has a source or a fact for which a test says so; the others are not tested then.
 *
 * @param testFact absent: facts are not looked at
 * @throws UserError as `inspectPalace` does
 */
export function containsSome(
  file: string,
  test: (source: SourceWords) => Promise<boolean>,
  testFact?: (fact: Fact) => Promise<boolean>,
): Promise<boolean> {
  return readingAsync(file, async (database) => {
    refuseNewer(database, file);
    const sql = new Sql(database);
    const schema = schemaVersion(database);
    const facts = testFact === undefined || schema < FIRST_WITH_FACTS ? [] : new Facts(sql).all();
    for (const fact of facts) if (await testFact?.(fact)) return true;
    const next = database.prepare<[number], Omit<SourceWords, 'text' | 'turns'> & { id: number }>(
      `SELECT id, kind, wing, versions, coalesce(title, '') AS title, coalesce(directory, '') AS directory
       FROM sources WHERE id > ? ORDER BY id LIMIT 1`,
    );
    const sources = new Sources(sql);
    for (let row = next.get(-1); row !== undefined; row = next.get(row.id)) {
      const { id, ...words } = row;
      const text = () => sources.textOf(id);
      const turns = () => (schema < TURNS_SINCE ? undefined : sources.turnsOf(id));
      if (await test({ ...words, text, turns })) return true;
    }
    return false;
  });
}

/** As `copyPalace`, at once, for where nothing can be waited for. The copy has no free pages. */
export function copyPalaceNow(from: string, to: string): void {
  makePrivateFile(to);
  reading(from, (database) => database.prepare('VACUUM INTO ?').run(to));
}

/**
 * Puts the content of one palace file into another one that is in use, in one transaction: a reader
 * sees all of the old content or all of the new, and a kill leaves one of them.
 *
 * @throws UserError `locked` when another program writes there for ten seconds
 */
export async function overwritePalace(
  from: string,
  live: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  const into = async (database: Database): Promise<void> => {
    let left = Number.POSITIVE_INFINITY;
    let since = Date.now();
    await database.backup(live, {
      progress({ totalPages, remainingPages }) {
        if (remainingPages !== left) since = Date.now();
        else if (Date.now() - since > PATIENCE_MS)
          throw new UserError('locked', `${live} is being written by another program`, {
            hint: 'run the command again',
          });
        left = remainingPages;
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_TOGETHER;
      },
    });
  };
  await readingAsync(from, into, live);
  opened(live, WRITING, (written) => {
    written.pragma('synchronous = FULL');
    setJournal(written);
    written.pragma('wal_checkpoint(TRUNCATE)');
  });
}

/** True when `from` can be put into `live`: SQLite does not change the page size of a file in WAL mode. */
export function samePageSize(from: string, live: string): boolean {
  const [one, other] = [from, live].map((file) =>
    reading(file, (database) => Number(database.pragma('page_size', { simple: true }))),
  );
  return one === other;
}

const READING = { readonly: true, fileMustExist: true, timeout: BUSY_MS };
const WRITING = { timeout: BUSY_MS };

/** Runs `work` with the file open. @throws UserError that explains what SQLite says */
function opened<T>(
  file: string,
  options: typeof READING | typeof WRITING,
  work: (database: Database) => T,
): T {
  try {
    const database = new Database(file, options);
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw explainOpening(error, file);
  }
}

function reading<T>(file: string, work: (database: Database) => T): T {
  return opened(file, READING, work);
}

/** @param named the file that errors are about */
async function readingAsync<T>(
  file: string,
  work: (database: Database) => Promise<T>,
  named = file,
): Promise<T> {
  try {
    const database = new Database(file, READING);
    try {
      return await work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw explainOpening(error, named);
  }
}

/** Undefined for a database that is not a palace. */
function factsOf(database: Database): PalaceFacts | undefined {
  const tables = database
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'sources', 'drawers')")
    .pluck()
    .get();
  if (tables !== 3) return undefined;
  const stored = database.prepare("SELECT value FROM meta WHERE key = 'model'").pluck().get();
  const model = parseModel(typeof stored === 'string' ? stored : '');
  const schema = schemaVersion(database);
  if (model === undefined || schema === 0) return undefined;
  const count = (table: string) => Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return { schema, model, sources: count('sources'), drawers: count('drawers') };
}

function makePrivateFile(file: string): void {
  rmSync(file, { force: true });
  closeSync(openSync(file, 'wx', 0o600));
  chmodSync(file, 0o600);
}

function notWhole(file: string, why: string): UserError {
  return new UserError('palace-damaged', `${file} is not a whole palace: ${why}`);
}
