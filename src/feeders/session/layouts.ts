import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { latestBelievable } from '../../core/believed-time.js';
import { plural } from '../../core/plural.js';
import type { SessionHistory } from './history.js';
import type { DatabaseLocation } from './locate.js';
import { columnsOf, explainFailure, openSqlite, unreadable } from './open.js';
import { PART_TABLES, PartHistory } from './rows.js';
import { QUEUES, SEQUENCE_COLUMNS, SequenceHistory } from './sequence.js';

export interface OpenDatabase {
  /** By layout, opencode 2 first: of equal copies of a session, the first counts. */
  histories: SessionHistory[];
  /** What of it has a form that this version does not know. */
  problems: string[];
}

const SESSIONS = /^session(?:_v(\d+))?$/;
/** Tables of other releases that seem to contain messages. */
const MESSAGES = /^(?:\w+_)?(?:messages?|parts?|turns?|entry|entries)(?:_v\d+)?$/;
const WORDS = ['data', 'content', 'text', 'body', 'payload', 'parts'];
/** Those that are read, and those without anybody's words. */
const KNOWN = new Set([...Object.keys(PART_TABLES), 'session_message', 'instruction_entry', ...QUEUES]);

/**
 * Opens all layouts of opencode that a database contains: an upgraded one has those of 1.x and of 2.
 *
 * @throws UserError `unreadable` or `not-found`, also for another program's database
 */
export function openDatabase(
  { path, dataFolder }: Pick<DatabaseLocation, 'path' | 'dataFolder'>,
  timeoutMs?: number,
): OpenDatabase {
  const database = openSqlite(path, timeoutMs);
  try {
    const tables = tablesOf(database);
    const options = { path, database, dataFolder, ...limitsOf(path) };
    const sequence = sequenceOf(tables, options);
    const parts = Object.entries(PART_TABLES).every(([table, columns]) => has(tables, table, columns));
    const histories = [...(sequence ? [sequence] : []), ...(parts ? [new PartHistory(options)] : [])];
    const read = [...(sequence ? ['session_message'] : []), ...(parts ? ['message'] : [])];
    const problems = [
      ...(histories.length === 0 ? missing(tables, path) : elsewhere(database, tables, read)),
      ...(sequence?.isUnknown() ? ['all rows of session_message are of types that are not known'] : []),
    ];
    if (histories.length === 0) database.close();
    return { histories, problems };
  } catch (error) {
    database.close();
    throw explainFailure(error, path);
  }
}

type Tables = ReadonlyMap<string, ReadonlySet<string>>;

function tablesOf(database: Database.Database): Tables {
  const names = database
    .prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    .pluck()
    .all();
  const ours = names.filter((name): name is string => typeof name === 'string');
  // Others may contain tokens: not even their columns are asked for.
  const wanted = ours.filter((name) => SESSIONS.test(name) || MESSAGES.test(name) || QUEUES.includes(name));
  return new Map(wanted.map((name) => [name, columnsOf(database, name)]));
}

function has(tables: Tables, table: string, columns: readonly string[]): boolean {
  return columns.every((name) => tables.get(table)?.has(name));
}

function sequenceOf(
  tables: Tables,
  options: ConstructorParameters<typeof SequenceHistory>[0],
): SequenceHistory | undefined {
  const version = (table: string) => Number(SESSIONS.exec(table)?.[1] ?? 1);
  const sessions = [...tables.keys()].filter((table) => SESSIONS.test(table) && has(tables, table, ['id']));
  if (sessions.length === 0 || !has(tables, 'session_message', SEQUENCE_COLUMNS)) return undefined;
  return new SequenceHistory(
    options,
    sessions.sort((a, b) => version(b) - version(a)),
  );
}

/** What the times of a database's files say about the times in it: new rows are in its log first. */
function limitsOf(path: string): { latestMs: number; undatedMs: number } {
  const { mtimeMs, birthtimeMs } = statSync(path);
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const latestMs = latestBelievable(Math.max(mtimeMs, log?.mtimeMs ?? 0));
  // That of its creation stays the same.
  return {
    latestMs,
    undatedMs: Math.floor(birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs, latestMs) : mtimeMs),
  };
}

/** @throws UserError if it contains nothing of opencode */
function missing(tables: Tables, path: string): string[] {
  if (tables.size === 0)
    throw unreadable(path, "is a database, but not opencode's", 'give the path of opencode.db');
  const others = Object.keys(PART_TABLES).every((table) => !tables.has(table));
  if (others)
    return [`its tables ${[...tables.keys()].join(', ')} have a form that this version does not know`];
  const lacking = Object.entries(PART_TABLES).flatMap(([table, columns]) => {
    if (!tables.has(table)) return [`no table ${table}`];
    return columns.filter((name) => !has(tables, table, [name])).map((name) => `no column ${table}.${name}`);
  });
  return [`it has a form that this version does not know: ${lacking.join(', ')}`];
}

/** Sessions whose messages are only in tables that are not read. @param read the tables that are */
function elsewhere(database: Database.Database, tables: Tables, read: readonly string[]): string[] {
  const unread = (table: string, id: string, count: string) => {
    const isRead = read
      .map((each) => `EXISTS (SELECT 1 FROM ${each} WHERE session_id = one.${id})`)
      .join(' OR ');
    return Number(
      database.prepare(`SELECT ${count} FROM "${table}" AS one WHERE NOT (${isRead})`).pluck().get(),
    );
  };
  return [...tables].flatMap(([table, columns]) => {
    if (KNOWN.has(table) || (table === 'session_v2' && read.includes('session_message'))) return [];
    if (SESSIONS.test(table)) {
      const all = Number(database.prepare(`SELECT count(*) FROM "${table}"`).pluck().get());
      const isStrange = all > 0 && columns.has('id') && unread(table, 'id', 'count(*)') === all;
      return isStrange ? [`the messages of ${plural(all, 'session')} in ${table} are in no known table`] : [];
    }
    if (!columns.has('session_id') || !WORDS.some((name) => columns.has(name))) return [];
    const lost = unread(table, 'session_id', 'count(DISTINCT session_id)');
    return lost > 0 ? [`the messages of ${plural(lost, 'session')} are only in the table ${table}`] : [];
  });
}
