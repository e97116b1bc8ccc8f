import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { z } from 'zod';
import { believedTimes } from '../../core/believed-time.js';
import { wholeOutput } from '../staging/whole-output.js';
import type { Change, MessageEntry, SessionList, UnparsedSession } from './history.js';
import { columnsOf } from './open.js';
import { firstIssue, SESSION_COLUMNS, type SessionRow, sessionRow } from './schema.js';

/** The largest time of a `Date`. */
const LAST_MS = 8.64e15;

export interface TableOptions {
  path: string;
  database: Database.Database;
  /** See `latestBelievable`; infinite when the rows were judged before. */
  latestMs: number;
  /** The date of sessions if none has a believable time, epoch milliseconds. */
  undatedMs?: number;
  /** SQL for the bytes of a row's `data`; must not load it. */
  size?: string;
  /** opencode's data folder; that of `path` when absent. */
  dataFolder?: string | undefined;
}

/** Rows of a session. Times are epoch milliseconds. */
interface Group {
  rows: number;
  newest: number | undefined;
  first: number | undefined;
  bytes: number;
  misdated: boolean;
}

const timeRow = z.object({ session_id: z.string(), time_created: z.number() });

/**
 * Queries that both layouts of opencode's database share. Selects existing columns by name: their order differs in
 * migrated databases, and releases add and drop some. Reads only sessions, messages, parts and waiting prompts: other
 * tables contain tokens, or what the user reverted. A time after `latestMs` is not believed.
 */
export abstract class TableHistory {
  readonly path: string;
  /** SQL: the relation with the messages. */
  protected abstract readonly messages: string;
  protected readonly database: Database.Database;
  protected readonly size: string;
  readonly #latestMs: number;
  readonly #undatedMs: number;
  readonly #dataFolder: string;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #columns = new Map<string, Set<string>>();

  constructor({
    path,
    database,
    latestMs,
    undatedMs,
    dataFolder,
    size = 'octet_length(data)',
  }: TableOptions) {
    this.path = path;
    this.database = database;
    this.size = size;
    this.#latestMs = Math.min(latestMs, LAST_MS);
    this.#undatedMs = undatedMs ?? this.#latestMs;
    this.#dataFolder = dataFolder ?? dirname(path);
  }

  wholeOutput(path: string): string | undefined {
    return wholeOutput(path, [this.#dataFolder]);
  }

  close(): void {
    this.database.close();
  }

  protected columns(table: string): Set<string> {
    const known = this.#columns.get(table) ?? columnsOf(this.database, table);
    this.#columns.set(table, known);
    return known;
  }

  protected prepare(sql: string): Database.Statement {
    const statement = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** SQL: the rows of a session table. */
  protected sessionsIn(table: string): string {
    const present = this.columns(table);
    const columns = SESSION_COLUMNS.filter((name) => present.has(name)).map((name) => `"${name}"`);
    if (!present.has('fork_boundary') && present.has('fork_message_id'))
      columns.push('fork_message_id AS fork_boundary');
    return `SELECT ${columns.join(', ')} FROM "${table}"`;
  }

  /** @param sql selects rows of a session table in the order in which they were written */
  protected readSessions(sql: string, ...keys: string[]): SessionList {
    const found: z.infer<typeof sessionRow>[] = [];
    const unparsed: UnparsedSession[] = [];
    for (const row of this.prepare(sql).all(...keys)) {
      const parsed = sessionRow.safeParse(row);
      if (parsed.success) found.push(parsed.data);
      else unparsed.push({ id: idOf(row), why: firstIssue(parsed.error) });
    }
    const times = believedTimes(
      found.map(({ id, time_created }) => this.#believed(time_created) ?? this.#firstMessageMs(id)),
      this.#latestMs,
    );
    const sessions = found.map(({ time_created, time_updated, ...rest }, index) => ({
      ...rest,
      time_created: times[index] ?? this.#undatedMs,
      time_updated: this.#believed(time_updated),
      misdated: (time_created ?? 0) > this.#latestMs || (time_updated ?? 0) > this.#latestMs,
    }));
    return { sessions, unparsed };
  }

  /**
   * Adds the sessions whose row is lost, or is in a table of another layout: their messages are read all the same. Such a
   * session is older than any row of it elsewhere.
   */
  protected withRowless({ sessions, unparsed }: SessionList, tables: readonly string[]): SessionList {
    // Answered by the index on session_id: usually there are none.
    const known = tables.map((table) => `EXCEPT SELECT id FROM "${table}"`);
    const rowless = this.readSessions(
      `SELECT session_id AS id, min(${this.believable('time_created')}) AS time_created, 0 AS time_updated
         FROM ${this.messages}
         WHERE session_id IN (SELECT session_id FROM ${this.messages} ${known.join(' ')})
           AND session_id <> '' AND typeof(session_id) = 'text' GROUP BY session_id`,
    );
    return { sessions: [...sessions, ...rowless.sessions], unparsed: [...unparsed, ...rowless.unparsed] };
  }

  /** The oldest believable time of a session's messages, epoch milliseconds. */
  #firstMessageMs(sessionId: string): number | undefined {
    const sql = `SELECT min(${this.believable('time_created')}) FROM ${this.messages} WHERE session_id = ?`;
    return numberIn(this.prepare(sql).pluck().get(sessionId));
  }

  #believed(time: number | null | undefined): number | undefined {
    return time === null || time === undefined || time > this.#latestMs ? undefined : time;
  }

  /** SQL: the column's number, NULL if it is not believable. The cast keeps another type from hiding other rows. */
  protected believable(column: string): string {
    return `CASE WHEN CAST(${column} AS INTEGER) <= ${this.#latestMs} THEN CAST(${column} AS INTEGER) END`;
  }

  /** SQL: the latest believable time in a group of rows. */
  protected newest(columns: readonly string[]): string {
    const times = columns.map((name) => `coalesce(${this.believable(name)}, 0)`);
    // With one argument, the inner max would be an aggregate, too.
    return `max(max(${['0', '0', ...times].join(', ')}))`;
  }

  /** By session: what a relation (SQL) contains, of all sessions unless there is one. @param times its columns with times */
  protected groups(
    relation: string,
    times: readonly string[],
    [session, ...others]: readonly SessionRow[],
  ): Map<string, Group> {
    const late = ['0', ...times.map((name) => `CAST(${name} AS INTEGER) > ${this.#latestMs}`)];
    const first = times.includes('time_created') ? `min(${this.believable('time_created')})` : 'NULL';
    const sql = `SELECT session_id, count(*), ${this.newest(times)}, ${first}, sum(${this.size}),
       max(${late.join(' OR ')}) FROM ${relation}`;
    const rows =
      session === undefined || others.length > 0
        ? this.prepare(`${sql} GROUP BY session_id`).raw().all()
        : this.prepare(`${sql} WHERE session_id = ? GROUP BY session_id`).raw().all(session.id);
    const groups = new Map<string, Group>();
    for (const row of rows) {
      const [id, count, newest, oldest, bytes, misdated] = Array.isArray(row) ? row : [];
      if (typeof id !== 'string') continue;
      groups.set(id, {
        rows: Number(count),
        newest: numberIn(newest),
        first: numberIn(oldest),
        bytes: numberIn(bytes) ?? 0,
        misdated: misdated === 1,
      });
    }
    return groups;
  }

  /** @param rows of messages and, in 1.x, of parts */
  protected changeOf(
    session: SessionRow,
    messages?: Group,
    parts?: Group,
    bytes = messages?.bytes ?? 0,
  ): Change {
    const { time_created, time_updated } = session;
    const newest = [time_updated ?? time_created, messages?.newest, parts?.newest];
    return {
      messages: messages?.rows ?? 0,
      parts: parts?.rows ?? 0,
      changedMs: Math.min(LAST_MS, Math.max(...newest.map((time) => time ?? time_created))),
      firstMs: messages?.first,
      bytes,
      stamp: '',
      misdated: [session.misdated, messages?.misdated, parts?.misdated].includes(true),
    };
  }

  /** @param rows in the order in which they were written */
  protected entries(rows: readonly unknown[]): MessageEntry[] {
    const read = rows.map((row) => entryRow.parse(row));
    const times = believedTimes(
      read.map(({ time }) => time),
      this.#latestMs,
    );
    return read.map(({ id }, index) => ({ id, timeMs: times[index] }));
  }

  protected isMisdated(rows: readonly unknown[]): boolean {
    return rows.some((row) => (entryRow.parse(row).time ?? 0) > this.#latestMs);
  }

  sessionsAt(times: readonly number[]): z.infer<typeof timeRow>[] {
    const rows = this.prepare(
      `SELECT DISTINCT session_id, time_created FROM ${this.messages}
         WHERE time_created IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(times));
    return rows.flatMap((row) => timeRow.safeParse(row).data ?? []);
  }
}

const entryRow = z.object({
  id: z.string().optional().catch(undefined),
  time: z.number().optional().catch(undefined),
});

export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function idOf(row: unknown): string {
  const { data } = z.object({ id: z.union([z.string(), z.number()]) }).safeParse(row);
  return String(data?.id ?? 'without an id');
}
