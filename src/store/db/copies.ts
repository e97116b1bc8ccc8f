import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { SourceKind } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import type { TurnMark } from '../../core/turns.js';
import { Database } from '../../platform/sqlite.js';
import { type Fact, Facts } from '../tables/facts.js';
import { Forgetting, REPEATING, type Tombstone } from '../tables/forgetting.js';
import { type RunEnd, type RunStart, Runs } from '../tables/runs.js';
import { Sources, TURNS_SINCE } from '../tables/sources.js';
import { explainOpening } from './failures.js';
import { setJournal } from './journal.js';
import { type ModelIdentity, parseModel } from './model.js';
import { refuseNewer, schemaVersion } from './schema.js';
import { readShared } from './shared-reading.js';
import { Sql } from './sql.js';

export interface PalaceFacts {
  schema: number;
  model: ModelIdentity;
  sources: number;
  drawers: number;
}

const PAGES_PER_STEP = 2_000;
const PATIENCE_MS = 10_000;
const BUSY_MS = 5_000;
const FIRST_WITH_TOMBSTONES = 3;
const FIRST_WITH_FACTS = 4;

/** Suffixes of the files that SQLite keeps next to a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Removes a palace file with SQLite's files next to it. */
export function removePalaceFile(file: string): void {
  for (const path of [file, ...COMPANIONS.map((end) => file + end)]) rmSync(path, { force: true });
}

/** Bytes of a palace with its WAL: the maximum size of a copy. */
export function bytesOf(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/**
 * Reads the facts of a palace file, and has SQLite check every page.
 *
 * @throws UserError `not-found`, `unreadable`, `palace-newer`, `palace-damaged` (not a palace, or a damaged one)
 */
export function inspectPalace(file: string): PalaceFacts {
  if (!existsSync(file)) throw new UserError('not-found', `there is no file ${file}`);
  return reading(file, (database) => {
    refuseNewer(database, file);
    const facts = factsOf(database);
    if (facts === undefined) throw notWhole(file, 'it contains no palace');
    const found = String(database.pragma('quick_check(1)', { simple: true }));
    if (found !== 'ok') throw notWhole(file, found);
    return facts;
  });
}

/**
 * Copies the current state of a palace to a new file (without a WAL, mode 0600, checked). Later writes are not part of
 * it. The file is not synced yet.
 *
 * @throws UserError as `inspectPalace` does, for the palace or the copy
 */
export async function copyPalace(
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<PalaceFacts> {
  makePrivateFile(to);
  await readingAsync(from, async (database) => {
    refuseNewer(database, from);
    // In one read transaction; otherwise every commit of a writer would restart the copy.
    database.exec('BEGIN');
    database.pragma('user_version');
    await database.backup(to, {
      progress({ totalPages, remainingPages }) {
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
    database.exec('COMMIT');
  });
  settleCopy(to);
  return inspectPalace(to);
}

/** Merges the WAL of a palace that is not open into its file, so that it can be read in a read-only folder. */
export function settleCopy(file: string): void {
  opened(file, WRITING, (copy) => copy.pragma('journal_mode = DELETE'));
}

/** Records a run in a palace file that is not open, of any schema. */
export function recordRun(file: string, run: RunStart, end: RunEnd): void {
  opened(file, WRITING, (copy) => new Runs(new Sql(copy)).add(run, end));
}

export interface CopyingRun {
  id: number;
  /** Its result so far; absent if it has changed nothing yet. */
  end?: RunEnd;
}

/** Ends or removes a run in a copy, where it would otherwise look like a killed run. */
export function settleRun(file: string, { id, end }: CopyingRun): void {
  opened(file, WRITING, (copy) => {
    const runs = new Runs(new Sql(copy));
    if (end === undefined) runs.withdraw(id);
    else runs.end(id, end);
  });
}

/** The tombstones of a palace file of any schema, including newer ones; undefined when they cannot be read. */
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
 * Number of sources and facts of a palace file that match: sources with one of the keys, documents with one of the
 * origins, facts with one of the keys as their id or source.
 */
export function countMatches(
  file: string,
  wanted: readonly Pick<Tombstone, 'sourceKey' | 'kind' | 'origin'>[],
): number {
  const origins = wanted.filter(({ kind }) => kind === 'document').map(({ origin }) => origin);
  const keys = JSON.stringify(wanted.map(({ sourceKey }) => sourceKey));
  return reading(file, (database) => {
    const sql = new Sql(database);
    const sources = sql.count(
      `FROM sources WHERE source_key IN (SELECT value FROM json_each(?))
         OR (kind = 'document' AND origin IN (SELECT value FROM json_each(?)))
         OR id IN (SELECT r.id FROM (SELECT value AS source_key FROM json_each(?)) t JOIN ${REPEATING})`,
      keys,
      JSON.stringify(origins),
      keys,
    );
    if (schemaVersion(database) < FIRST_WITH_FACTS) return sources;
    const facts = `FROM triples WHERE triple_id IN (SELECT value FROM json_each(@keys))
      OR source_key IN (SELECT value FROM json_each(@keys))`;
    return sources + sql.count(facts, { keys });
  });
}

export interface SourceWords {
  kind: SourceKind;
  wing: string;
  versions: string;
  title: string | null;
  directory: string | null;
  /** The whole text, decompressed on each call. */
  text(): string;
  /** Undefined if not known. */
  turns(): TurnMark[] | undefined;
}

/**
 * Whether a test accepts a source or a fact of a palace file of any schema. Stops at the first one.
 *
 * @param testFact absent: facts are not tested
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
    const next =
      'SELECT id, kind, wing, versions, title, directory FROM sources WHERE id > ? ORDER BY id LIMIT 1';
    const after = (id: number) => sql.get<Omit<SourceWords, 'text' | 'turns'> & { id: number }>(next, id);
    const sources = new Sources(sql);
    for (let row = after(-1); row !== undefined; row = after(row.id)) {
      const { id, ...words } = row;
      const text = () => sources.textOf(id);
      const turns = () => (schema < TURNS_SINCE ? undefined : sources.turnsOf(id));
      if (await test({ ...words, text, turns })) return true;
    }
    return false;
  });
}

/** As `copyPalace`, but synchronous. The copy has no free pages. */
export function copyPalaceNow(from: string, to: string): void {
  makePrivateFile(to);
  reading(from, (database) => database.prepare('VACUUM INTO ?').run(to));
}

/**
 * Replaces the content of a palace that is in use, in one transaction: a reader sees the old content or the new, and a
 * kill leaves one of them.
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
    let since = performance.now();
    await database.backup(live, {
      progress({ totalPages, remainingPages }) {
        if (remainingPages !== left) since = performance.now();
        else if (performance.now() - since > PATIENCE_MS)
          throw new UserError('locked', `${live} is being written by another program`, {
            hint: 'run the command again',
          });
        left = remainingPages;
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
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

/**
 * Waits until no program is within a write of a palace that the caller has claimed alone. In a damaged palace, SQLite may
 * not be able to wait, and nobody to write.
 *
 * @throws UserError `locked` after ten seconds
 */
export function awaitWriters(live: string): void {
  try {
    opened(live, { timeout: PATIENCE_MS }, (database) => {
      database.exec('BEGIN IMMEDIATE');
      database.exec('ROLLBACK');
    });
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'palace-damaged') throw error;
  }
}

/** Whether `overwritePalace` is possible: SQLite does not change the page size of a file in WAL mode. */
export function samePageSize(from: string, live: string): boolean {
  const [one, other] = [from, live].map((file) =>
    reading(file, (database) => Number(database.pragma('page_size', { simple: true }))),
  );
  return one === other;
}

const READING = { readonly: true, fileMustExist: true, timeout: BUSY_MS };
const WRITING = { timeout: BUSY_MS };

/** @throws UserError that explains SQLite's error */
function opened<T>(
  file: string,
  options: typeof READING | typeof WRITING,
  work: (database: Database) => T,
): T {
  try {
    const database = (options === READING && readShared(file)) || new Database(file, options);
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

/** @param named the file to name in errors */
async function readingAsync<T>(
  file: string,
  work: (database: Database) => Promise<T>,
  named = file,
): Promise<T> {
  try {
    const database = readShared(file) ?? new Database(file, READING);
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
  const sql = new Sql(database);
  if (sql.count("FROM sqlite_schema WHERE name IN ('meta', 'sources', 'drawers')") !== 3) return undefined;
  const model = parseModel(String(sql.value("SELECT value FROM meta WHERE key = 'model'")));
  const schema = schemaVersion(database);
  if (model === undefined || schema === 0) return undefined;
  return { schema, model, sources: sql.count('FROM sources'), drawers: sql.count('FROM drawers') };
}

function makePrivateFile(file: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  chmodSync(file, 0o600);
}

function notWhole(file: string, why: string): UserError {
  return new UserError('palace-damaged', `${file} is not a whole palace: ${why}`);
}
