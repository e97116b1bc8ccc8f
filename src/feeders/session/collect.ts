import type { Skipped } from '../../core/contract.js';
import type { UserError } from '../../core/errors.js';
import type { KnownSession } from './forks.js';
import type { DatabaseLocation } from './locate.js';
import { explainFailure, openSqlite } from './open.js';
import { originOf } from './options.js';
import { History, type UnparsedSession } from './rows.js';
import { openStorage } from './storage-json.js';

export interface Collected {
  /** By id; only the newest copy of each session. */
  sessions: Map<string, KnownSession>;
  histories: History[];
  problems: Skipped[];
}

/**
 * Opens every history and lists its sessions. The newest copy of a session wins. Among equally new copies, the first history
 * wins: databases precede the older JSON files, which an import left behind. An unreadable history is only a
 * problem if another one is readable.
 *
 * @throws UserError about the first history when none can be read
 */
export function collectSessions(databases: readonly DatabaseLocation[]): Collected {
  const collected: Collected = { sessions: new Map(), histories: [], problems: [] };
  let first: UserError | undefined;
  try {
    for (const location of databases) {
      const failure = addHistory(location, collected);
      first ??= failure;
    }
    if (first !== undefined && collected.histories.length === 0) throw first;
    return collected;
  } catch (error) {
    closeAll(collected.histories);
    throw error;
  }
}

/** Returns the failure if the history cannot be read. */
function addHistory({ path, kind }: DatabaseLocation, collected: Collected): UserError | undefined {
  let history: History | undefined;
  try {
    let unparsed: UnparsedSession[] = [];
    if (kind === 'sqlite') history = new History(path, openSqlite(path));
    else
      ({ history, unparsed } = openStorage(path, (id, updatedMs) => {
        const copy = collected.sessions.get(id);
        return copy !== undefined && copy.change.changedMs >= updatedMs;
      }));
    addSessions(history, collected, unparsed);
    collected.histories.push(history);
    return undefined;
  } catch (error) {
    history?.close();
    const failure = explainFailure(error, path);
    const detail = failure.hint === undefined ? failure.message : `${failure.message}: ${failure.hint}`;
    collected.problems.push({ origin: path, reason: 'unreadable database', detail, problem: true });
    return failure;
  }
}

export function closeAll(histories: readonly History[]): void {
  for (const history of histories) history.close();
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
    const detail = `in ${history.path}: ${why}`;
    const reason = 'session that does not parse';
    collected.problems.push({ origin: originOf(id), reason, detail, problem: true });
  }
}

/** Describes a failure while reading one session. @throws the failure itself when it is a bug */
export function sessionProblem(error: unknown, { row, history }: KnownSession): Skipped {
  const detail = explainFailure(error, history.path).message;
  return { origin: originOf(row.id), reason: 'unreadable session', detail, problem: true };
}
