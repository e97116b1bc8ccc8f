import type Database from 'better-sqlite3';
import { z } from 'zod';
import { columnsOf } from './open.js';
import { type DataRow, dataRow, firstIssue, type SessionRow, sessionRow } from './schema.js';

/** A part (or message) whose JSON has more bytes than this is never loaded. */
export const PART_LIMIT_BYTES = 32 * 1024 * 1024;
/** How the JSON of a tool call begins, as opencode writes it. */
export const TOOL_PART = '{"type":"tool"';

/** How a session stands: what it holds and when any of it last changed. */
export interface Change {
  messages: number;
  parts: number;
  /** The newest of session, messages and parts: the session's own time lags behind. Epoch milliseconds. */
  changedMs: number;
  /** The oldest message; older than the session itself where a fork copied history. */
  firstMs: number | undefined;
  /** Bytes of JSON in the parts. */
  bytes: number;
  /** Of a session that lies in files: their sizes and times. Empty in a database. */
  stamp: string;
}

/** Undefined where a row's id is no text: such a row cannot be asked for. */
export type RowId = string | undefined;

export interface UnparsedSession {
  id: string;
  why: string;
}

const timeRow = z.object({ session_id: z.string(), time_created: z.number() });

const SESSION_COLUMNS = Object.keys(sessionRow.shape);

/**
 * One opencode history (a database, or the older JSON files indexed as one) and every query that is asked
 * of it. Columns are selected by name and looked for first: a migrated database has them in another order,
 * an older one lacks some. Only sessions, messages and parts are read: other tables hold tokens, or repeat
 * what the user undid.
 */
export class History {
  readonly #database: Database.Database;
  readonly #stamps: ReadonlyMap<string, string>;
  readonly #size: string;
  readonly #columns: Record<'session' | 'message' | 'part', Set<string> | undefined>;
  readonly #statements = new Map<string, Database.Statement>();

  /**
   * @param size SQL for the bytes of a row's `data`, which must not load it
   * @param stamps by session id, for histories that lie in files
   */
  constructor(
    readonly path: string,
    readonly kind: 'sqlite' | 'json',
    database: Database.Database,
    size = 'octet_length(data)',
    stamps: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#database = database;
    this.#size = size;
    this.#stamps = stamps;
    const [session, message, part] = ['session', 'message', 'part'].map((table) =>
      columnsOf(database, table),
    );
    this.#columns = { session, message, part };
  }

  /** Every session, in no particular order, and the rows that are none. */
  sessions(): { sessions: SessionRow[]; unparsed: UnparsedSession[] } {
    const columns = SESSION_COLUMNS.filter((name) => this.#columns.session?.has(name));
    const sessions: SessionRow[] = [];
    const unparsed: UnparsedSession[] = [];
    for (const row of this.#prepare(`SELECT "${columns.join('", "')}" FROM session`).iterate()) {
      const parsed = sessionRow.safeParse(row);
      if (parsed.success) sessions.push(parsed.data);
      else unparsed.push({ id: idOf(row), why: firstIssue(parsed.error) });
    }
    return { sessions, unparsed };
  }

  /** How each session stands, by two grouped queries for all. A session without rows has no entry. */
  changes(sessions: readonly SessionRow[]): Map<string, Change> {
    const messages = this.#groups('message', 'min(CAST(time_created AS INTEGER))');
    const parts = this.#groups('part', `sum(${this.#size})`);
    const changes = new Map<string, Change>();
    for (const { id, time_created, time_updated } of sessions) {
      const message = messages.get(id);
      const part = parts.get(id);
      const newest = [time_updated ?? time_created, message?.newest, part?.newest];
      changes.set(id, {
        messages: message?.rows ?? 0,
        parts: part?.rows ?? 0,
        // No later than a date can be: a row may contain any number.
        changedMs: Math.min(8.64e15, Math.max(...newest.map((time) => time ?? time_created))),
        firstMs: message?.extra,
        bytes: part?.extra ?? 0,
        stamp: this.#stamps.get(id) ?? '',
      });
    }
    return changes;
  }

  /** By session: how many rows a table has, their newest time, and one more number. */
  #groups(table: 'message' | 'part', more: string) {
    const sql = `SELECT session_id, count(*), ${this.#newest(table)}, ${more} FROM ${table} GROUP BY session_id`;
    const groups = new Map<string, { rows: number; newest: number | undefined; extra: number | undefined }>();
    for (const row of this.#prepare(sql).raw().iterate()) {
      const [id, rows, newest, extra] = Array.isArray(row) ? row : [];
      // The numbers are SQL's own; only the id is opencode's.
      const group = { rows: Number(rows), newest: numberIn(newest), extra: numberIn(extra) };
      if (typeof id === 'string') groups.set(id, group);
    }
    return groups;
  }

  #newest(table: 'message' | 'part'): string {
    // Cast, so that one row with a time of another type does not hide the session's other rows.
    const times = ['time_created', 'time_updated']
      .filter((name) => this.#columns[table]?.has(name))
      .map((name) => `coalesce(CAST(${name} AS INTEGER), 0)`);
    if (times.length === 0) return 'NULL';
    return times.length === 1 ? `max(${times[0]})` : `max(max(${times.join(', ')}))`;
  }

  /**
   * Ids of a session's messages in the order they were said. Ids alone are no order: they hold milliseconds
   * modulo 2^36 and wrapped on 2026-08-14.
   */
  messageIds(sessionId: string): RowId[] {
    return this.#ids('SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id', sessionId);
  }

  /** Ids of a message's parts in opencode's order, which is that of the ids (times may be those of an import). */
  partIds(messageId: string): RowId[] {
    return this.#ids('SELECT id FROM part WHERE message_id = ? ORDER BY id', messageId);
  }

  /** Ids of a session's parts that belong to none of its messages: a message was lost, or the reference to it. */
  strayPartIds(sessionId: string): RowId[] {
    return this.#ids(
      `SELECT id FROM part WHERE session_id = ? AND NOT EXISTS
         (SELECT 1 FROM message WHERE message.id = part.message_id AND message.session_id = part.session_id)
       ORDER BY id`,
      sessionId,
    );
  }

  /** This and `part` are undefined when the row is not of the known form. */
  message(id: string, sessionId: string): DataRow | undefined {
    return this.#row('message', 'time_created', id, 'session_id', sessionId);
  }

  part(id: string, messageId: string): DataRow | undefined {
    return this.#row('part', '0 AS time_created', id, 'message_id', messageId);
  }

  /** When a message or any of its parts last changed, in epoch milliseconds. */
  messageChangedMs(id: string): number {
    const message = this.#prepare(`SELECT ${this.#newest('message')} FROM message WHERE id = ?`);
    const parts = this.#prepare(`SELECT ${this.#newest('part')} FROM part WHERE message_id = ?`);
    const times = [message.pluck().get(id), parts.pluck().get(id)];
    return Math.max(0, ...times.filter((time): time is number => typeof time === 'number'));
  }

  /** Times (epoch milliseconds) of the session's messages that are older than `beforeMs`, ascending. */
  messageTimes(sessionId: string, beforeMs: number): number[] {
    const sql =
      'SELECT time_created FROM message WHERE session_id = ? AND time_created < ? ORDER BY time_created';
    const times = this.#prepare(sql).pluck().all(sessionId, beforeMs);
    return times.filter((value): value is number => typeof value === 'number');
  }

  /** Which sessions have a message of exactly these times. */
  sessionsAt(times: readonly number[]): { session_id: string; time_created: number }[] {
    const rows = this.#prepare(
      'SELECT DISTINCT session_id, time_created FROM message WHERE time_created IN (SELECT value FROM json_each(?))',
    ).all(JSON.stringify(times));
    return rows.flatMap((row) => timeRow.safeParse(row).data ?? []);
  }

  /** Roles of a session's messages in order, null where the row cannot be read; no message is loaded for it. */
  messageRoles(sessionId: string): { id: string; role: string | null }[] {
    const rows = this.#prepare(
      `SELECT id, CASE WHEN typeof(id) <> 'text' OR ${this.#size} > ${PART_LIMIT_BYTES} THEN NULL WHEN json_valid(data)
         AND json_type(data, '$.role') = 'text' THEN json_extract(data, '$.role') END AS role
       FROM message WHERE session_id = ? ORDER BY time_created, id`,
    ).all(sessionId);
    return rows.map((row) => roleRow.parse(row));
  }

  /**
   * JSON of what may be a session's text parts, with the id of the message; null where it cannot be read or is
   * too large. Of a tool call no more than `TOOL_PART` is loaded.
   */
  *textCandidates(sessionId: string): Generator<z.infer<typeof textRow>> {
    const rows = this.#prepare(
      `SELECT message_id, CASE WHEN ${this.#size} > ${PART_LIMIT_BYTES} THEN NULL
         WHEN substr(data, 1, 14) = '${TOOL_PART}' THEN '${TOOL_PART}' ELSE data END AS data
       FROM part WHERE session_id = ? AND CASE WHEN ${this.#size} <= ${PART_LIMIT_BYTES}
         THEN substr(data, 1, 14) NOT IN ('{"type":"step-', '{"type":"reaso') ELSE 1 END`,
    ).iterate(sessionId);
    for (const row of rows) yield textRow.parse(row);
  }

  close(): void {
    this.#database.close();
  }

  /** An id alone would do, if no database were damaged: one id in two places must not stand for both. */
  #row(
    table: 'message' | 'part',
    time: string,
    id: string,
    owner: 'session_id' | 'message_id',
    ownerId: string,
  ): DataRow | undefined {
    const row = this.#prepare(
      `SELECT id, ${time}, CASE WHEN ${this.#size} > ${PART_LIMIT_BYTES} THEN NULL ELSE data END AS data,
         coalesce(${this.#size}, 0) AS bytes FROM ${table} WHERE id = ? AND ${owner} = ?`,
    ).get(id, ownerId);
    return dataRow.safeParse(row).data;
  }

  #ids(sql: string, key: string): RowId[] {
    const ids = this.#prepare(sql).pluck().all(key);
    return ids.map((id) => (typeof id === 'string' ? id : undefined));
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const textRow = z.object({
  message_id: z.string().nullable().catch(null),
  data: z.string().nullable().catch(null),
});
const roleRow = z.object({ id: z.string().catch(''), role: z.string().nullable().catch(null) });

function idOf(row: unknown): string {
  const { data } = z.object({ id: z.union([z.string(), z.number()]) }).safeParse(row);
  return String(data?.id ?? 'without an id');
}
