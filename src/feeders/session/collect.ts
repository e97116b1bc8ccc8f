import type { Skipped } from '../../core/contract.js';
import type { UserError } from '../../core/errors.js';
import type { KnownSession } from './forks.js';
import type { Change, Copy, SessionHistory, UnparsedSession } from './history.js';
import { openDatabase } from './layouts.js';
import type { DatabaseLocation } from './locate.js';
import { explainFailure } from './open.js';
import { NEWER, originOf, UNKNOWN_FORM } from './options.js';
import type { SessionRow } from './schema.js';
import { openStorage } from './storage-json.js';
import { unionOf } from './union.js';

export interface Collected {
  /** By id. */
  sessions: Map<string, KnownSession>;
  histories: SessionHistory[];
  problems: Skipped[];
}

/**
 * Opens every history and lists its sessions. A session that several of them contain is one session with the messages
 * of all; its title, folder and undone messages are those of the newest row. Among equally new copies, the first
 * history wins: databases precede the older JSON files, which an import left behind. An unreadable history is only a
 * problem if another one is readable.
 *
 * @throws UserError about the first history when none can be read
 */
export function collectSessions(databases: readonly DatabaseLocation[]): Collected {
  const copies = new Map<string, Copy[]>();
  const collected = { sessions: new Map(), histories: [], problems: [] };
  let first: UserError | undefined;
  try {
    for (const location of databases) {
      const failure = addDatabase(location, copies, collected);
      first ??= failure;
    }
    if (first !== undefined && collected.histories.length === 0) throw first;
    for (const [id, all] of copies) collected.sessions.set(id, sessionOf(all));
    return collected;
  } catch (error) {
    closeAll(collected.histories);
    throw error;
  }
}

function addDatabase(
  location: DatabaseLocation,
  copies: Map<string, Copy[]>,
  { histories, problems }: Collected,
): UserError | undefined {
  const { path, kind } = location;
  const opened: SessionHistory[] = [];
  try {
    const unparsed: UnparsedSession[] = [];
    if (kind === 'sqlite') {
      const database = openDatabase(location);
      opened.push(...database.histories);
      for (const problem of database.problems)
        problems.push({ origin: path, reason: UNKNOWN_FORM, detail: `${problem}; ${NEWER}`, problem: true });
    } else {
      const storage = openStorage(path, (id) => copies.get(id) ?? []);
      opened.push(storage.history);
      unparsed.push(...storage.unparsed);
    }
    for (const history of opened) unparsed.push(...addCopies(history, copies));
    for (const { id, why } of unparsed) {
      const detail = `in ${path}: ${why}`;
      problems.push({ origin: originOf(id), reason: 'session that does not parse', detail, problem: true });
    }
    histories.push(...opened);
    return undefined;
  } catch (error) {
    closeAll(opened);
    problems.push(databaseProblem(error, path));
    return explainFailure(error, path);
  }
}

export function closeAll(histories: readonly SessionHistory[]): void {
  for (const history of histories) history.close();
}

function addCopies(history: SessionHistory, copies: Map<string, Copy[]>): UnparsedSession[] {
  const { sessions, unparsed } = history.sessions();
  const changes = history.changes(sessions);
  for (const row of sessions) {
    const change = changes.get(row.id);
    if (change !== undefined) copies.set(row.id, [...(copies.get(row.id) ?? []), { row, change, history }]);
  }
  return unparsed;
}

/** @param copies of one session, at least one, in the order of the histories */
export function sessionOf(copies: readonly Copy[]): KnownSession {
  const [newest, ...older] = [...copies].sort((a, b) => b.change.changedMs - a.change.changedMs);
  if (newest === undefined) throw new TypeError('a session without a copy');
  const told = older.filter((copy) => copy.change.messages > 0 && !isEqual(copy, newest));
  const all = newest.change.messages > 0 || told.length === 0 ? [newest, ...told] : told;
  const histories = all.map(({ history }) => history);
  const { id } = newest.row;
  const [only = newest.history] = histories;
  const history = histories.length > 1 ? unionOf(id, histories) : only;
  return { row: rowOf(copies), history, change: changeOf(all, newest), histories };
}

/** The row that was changed last: messages may be newer than the row, where an older copy has more of them. */
function rowOf(copies: readonly Copy[]): SessionRow {
  const changed = ({ time_updated, time_created }: SessionRow) => time_updated ?? time_created;
  return copies.map(({ row }) => row).reduce((last, row) => (changed(row) > changed(last) ? row : last));
}

function isEqual({ change: a, history }: Copy, { change: b, history: other }: Copy): boolean {
  return (
    history.layout === other.layout &&
    [a.changedMs, a.messages, a.parts, a.bytes].join() === [b.changedMs, b.messages, b.parts, b.bytes].join()
  );
}

function changeOf(copies: readonly Copy[], newest: Copy): Change {
  const changes = copies.map(({ change }) => change);
  const [only] = changes;
  if (only !== undefined && changes.length === 1) return { ...only, changedMs: newest.change.changedMs };
  const most = (count: (change: Change) => number) => Math.max(...changes.map(count));
  const first = changes.flatMap(({ firstMs }) => firstMs ?? []);
  return {
    messages: most(({ messages }) => messages),
    parts: most(({ parts }) => parts),
    changedMs: newest.change.changedMs,
    firstMs: first.length === 0 ? undefined : Math.min(...first),
    bytes: most(({ bytes }) => bytes),
    stamp: JSON.stringify(changes.map(({ misdated: _, firstMs: __, ...state }) => state)),
    misdated: changes.some(({ misdated }) => misdated),
  };
}

/** Describes a failure while reading a database. @throws the failure itself when it is a bug */
export function databaseProblem(error: unknown, path: string): Skipped {
  const { message, hint } = explainFailure(error, path);
  const detail = hint === undefined ? message : `${message}: ${hint}`;
  return { origin: path, reason: 'unreadable database', detail, problem: true };
}

/** The same for one session. */
export function sessionProblem(error: unknown, { row, history }: KnownSession): Skipped {
  const detail = explainFailure(error, history.path).message;
  return { origin: originOf(row.id), reason: 'unreadable session', detail, problem: true };
}
