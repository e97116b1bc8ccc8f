import type { Skipped } from '../../common/contract.js';
import { messageOf, UserError } from '../../common/errors.js';
import type { KnownSession } from './forks.js';
import type { DatabaseLocation } from './locate.js';
import { explainFailure, openSqlite } from './open.js';
import { originOf } from './options.js';
import { History, type UnparsedSession } from './rows.js';
import { openStorage } from './storage-json.js';

export interface Collected {
  /** By id; of several copies of a session the newest. */
  sessions: Map<string, KnownSession>;
  histories: History[];
  problems: Skipped[];
}

/**
 * Opens every history and lists its sessions. The newest copy of a session wins; of equally new ones that of
 * the database named first, and a database before the older JSON files (which an import left behind). A
 * history that cannot be read is a problem while another one can.
 *
 * @throws UserError when none can be read: what is wrong with the first
 */
export function collectSessions(databases: readonly DatabaseLocation[]): Collected {
  const collected: Collected = { sessions: new Map(), histories: [], problems: [] };
  const failures: UserError[] = [];
  const ordered = [...databases].sort((a, b) => Number(a.kind === 'json') - Number(b.kind === 'json'));
  for (const { path, kind } of ordered) {
    let history: History | undefined;
    try {
      const opened = kind === 'sqlite' ? openDatabase(path) : openFolder(path, collected.sessions);
      history = opened.history;
      addSessions(history, collected, opened.unparsed);
      collected.histories.push(history);
    } catch (error) {
      history?.close();
      const explained = explainFailure(error, path);
      if (!(explained instanceof UserError)) {
        closeAll(collected.histories);
        throw explained;
      }
      failures.push(explained);
      const detail =
        explained.hint === undefined ? explained.message : `${explained.message}: ${explained.hint}`;
      collected.problems.push({ origin: path, reason: 'unreadable database', detail, problem: true });
    }
  }
  const [first] = failures;
  if (first !== undefined && collected.histories.length === 0) throw first;
  return collected;
}

export function closeAll(histories: readonly History[]): void {
  for (const history of histories) history.close();
}

interface Opened {
  history: History;
  unparsed: UnparsedSession[];
}

function openDatabase(path: string): Opened {
  return { history: new History(path, 'sqlite', openSqlite(path)), unparsed: [] };
}

function openFolder(path: string, known: ReadonlyMap<string, KnownSession>): Opened {
  return openStorage(path, (id, updatedMs) => {
    const copy = known.get(id);
    return copy !== undefined && copy.change.changedMs >= updatedMs;
  });
}

function addSessions(history: History, collected: Collected, unparsed: UnparsedSession[]): void {
  const found = history.sessions();
  const changes = history.changes(found.sessions);
  for (const row of found.sessions) {
    const change = changes.get(row.id);
    if (change === undefined) continue;
    const known = collected.sessions.get(row.id);
    if (known !== undefined && known.change.changedMs >= change.changedMs) continue;
    collected.sessions.set(row.id, { row, history, change });
  }
  for (const { id, why } of [...found.unparsed, ...unparsed]) {
    collected.problems.push({
      origin: originOf(id),
      reason: 'session that does not parse',
      detail: `in ${history.path}: ${why}`,
      problem: true,
    });
  }
}

/** A failure while one session is read; what is not SQLite's or a person's to mend is thrown on. */
export function sessionProblem(error: unknown, session: KnownSession): Skipped {
  const explained = explainFailure(error, session.history.path);
  if (!(explained instanceof UserError)) throw error;
  return {
    origin: originOf(session.row.id),
    reason: 'unreadable session',
    detail: messageOf(explained),
    problem: true,
  };
}
