import type Database from 'better-sqlite3';
import { z } from 'zod';
import { columnsOf } from './open.js';
import { type DataRow, dataRow, firstIssue, type SessionRow, sessionRow } from './schema.js';

/** A larger part (or message) is never loaded. */
export const PART_LIMIT_BYTES = 32 * 1024 * 1024;
/** The beginning of a tool call's JSON, as opencode writes it. */
export const TOOL_PART = '{"type":"tool"';

/** The size of a session, and its latest change. */
export interface Change {
  messages: number;
  parts: number;
  /** Latest change of session, messages and parts, epoch milliseconds. The session's own time lags behind. */
  changedMs: number;
  /** Time of the oldest message; in a fork, older than the session. */
  firstMs: number | undefined;
  /** Bytes of JSON in the parts. */
  bytes: number;
  /** For a session in files: hash of their sizes and times. Otherwise empty. */
  stamp: string;
}

/** Undefined if a row's id is not text: such a row cannot be queried. */
export type RowId = string | undefined;

export interface UnparsedSession {
  id: string;
  why: string;
}

const timeRow = z.object({ session_id: z.string(), time_created: z.number() });

const SESSION_COLUMNS = Object.keys(sessionRow.shape);

/**
 * All queries of an opencode history: a database, or the older JSON files indexed as one. Selects existing columns by
 * name: their order differs in migrated databases, and older ones lack some. Reads only sessions, messages and parts:
 * other tables contain tokens, or what the user reverted.
 */
export class History {
  readonly #size: string;
  readonly #columns: Record<'session' | 'message' | 'part', Set<string>>;
  readonly #statements = new Map<string, Database.Statement>();

  /**
   * @param size SQL for the bytes of a row's `data`; must not load it
   * @param stamps by session id, for histories in files
   */
  constructor(
    readonly path: string,
    private readonly database: Database.Database,
    size = 'octet_length(data)',
    private readonly stamps: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#size = size;
    const columns = (table: string) => columnsOf(database, table);
    this.#columns = { session: columns('session'), message: columns('message'), part: columns('part') };
  }

  /** Undefined if there is no such session, or its row is malformed. */
  session(id: string): SessionRow | undefined {
    return sessionRow.safeParse(this.#prepare(`${this.#session()} WHERE id = ?`).get(id)).data;
  }

  #session(): string {
    const columns = SESSION_COLUMNS.filter((name) => this.#columns.session.has(name));
    return `SELECT "${columns.join('", "')}" FROM session`;
  }

  /** Every session, unordered, and the malformed rows. */
  sessions(): { sessions: SessionRow[]; unparsed: UnparsedSession[] } {
    const sessions: SessionRow[] = [];
    const unparsed: UnparsedSession[] = [];
    for (const row of this.#prepare(this.#session()).iterate()) {
      const parsed = sessionRow.safeParse(row);
      if (parsed.success) sessions.push(parsed.data);
      else unparsed.push({ id: idOf(row), why: firstIssue(parsed.error) });
    }
    return { sessions, unparsed };
  }

  /** The change of each session, by two grouped queries. */
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
        // A row may contain any number: limited to the range of a `Date`.
        changedMs: Math.min(8.64e15, Math.max(...newest.map((time) => time ?? time_created))),
        firstMs: message?.extra,
        bytes: part?.extra ?? 0,
        stamp: this.stamps.get(id) ?? '',
      });
    }
    return changes;
  }

  /** By session: row count of a table, latest time, and the value of `more`. */
  #groups(table: 'message' | 'part', more: string) {
    const sql = `SELECT session_id, count(*), ${this.#newest(table)}, ${more} FROM ${table} GROUP BY session_id`;
    const groups = new Map<string, { rows: number; newest: number | undefined; extra: number | undefined }>();
    for (const row of this.#prepare(sql).raw().all()) {
      const [id, rows, newest, extra] = Array.isArray(row) ? row : [];
      const group = { rows: Number(rows), newest: numberIn(newest), extra: numberIn(extra) };
      if (typeof id === 'string') groups.set(id, group);
    }
    return groups;
  }

  #newest(table: 'message' | 'part'): string {
    // The cast keeps a time of another type from hiding the session's other rows.
    const times = ['time_created', 'time_updated']
      .filter((name) => this.#columns[table].has(name))
      .map((name) => `coalesce(CAST(${name} AS INTEGER), 0)`);
    if (times.length === 0) return 'NULL';
    return times.length === 1 ? `max(${times[0]})` : `max(max(${times.join(', ')}))`;
  }

  /** Message ids in time order. Ids alone do not sort: they contain milliseconds modulo 2^36, and wrapped on 2026-08-14. */
  messageIds(sessionId: string): RowId[] {
    return this.#ids('SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id', sessionId);
  }

  /** Part ids in opencode's order, which is the order of the ids (times may be those of an import). */
  partIds(messageId: string): RowId[] {
    return this.#ids('SELECT id FROM part WHERE message_id = ? ORDER BY id', messageId);
  }

  /** Ids of a session's parts without a message: the message or the reference was lost. */
  strayPartIds(sessionId: string): RowId[] {
    return this.#ids(
      `SELECT id FROM part WHERE session_id = ? AND NOT EXISTS
         (SELECT 1 FROM message WHERE message.id = part.message_id AND message.session_id = part.session_id)
       ORDER BY id`,
      sessionId,
    );
  }

  /** Like `part`, undefined when the row is malformed. */
  message(id: string, sessionId: string): DataRow | undefined {
    return this.#row('message', 'time_created', id, 'session_id', sessionId);
  }

  part(id: string, messageId: string): DataRow | undefined {
    return this.#row('part', '0 AS time_created', id, 'message_id', messageId);
  }

  /** Latest change of a message and its parts, epoch milliseconds. */
  messageChangedMs(id: string): number {
    const message = this.#prepare(`SELECT ${this.#newest('message')} FROM message WHERE id = ?`);
    const parts = this.#prepare(`SELECT ${this.#newest('part')} FROM part WHERE message_id = ?`);
    return Math.max(0, ...[message, parts].map((sql) => numberIn(sql.pluck().get(id)) ?? 0));
  }

  /** Times of the session's messages before `beforeMs`, ascending, epoch milliseconds. */
  messageTimes(sessionId: string, beforeMs: number): number[] {
    const sql =
      'SELECT time_created FROM message WHERE session_id = ? AND time_created < ? ORDER BY time_created';
    const times = this.#prepare(sql).pluck().all(sessionId, beforeMs);
    return times.flatMap((time) => numberIn(time) ?? []);
  }

  /** The sessions with a message at exactly one of these times. */
  sessionsAt(times: readonly number[]): { session_id: string; time_created: number }[] {
    const rows = this.#prepare(
      'SELECT DISTINCT session_id, time_created FROM message WHERE time_created IN (SELECT value FROM json_each(?))',
    ).all(JSON.stringify(times));
    return rows.flatMap((row) => timeRow.safeParse(row).data ?? []);
  }

  /** Roles of a session's messages in order, null for an unreadable row. Does not load messages. */
  messageRoles(sessionId: string): { id: string; role: string | null }[] {
    const rows = this.#prepare(
      `SELECT id, CASE WHEN typeof(id) <> 'text' OR ${this.#size} > ${PART_LIMIT_BYTES} THEN NULL WHEN json_valid(data)
         AND json_type(data, '$.role') = 'text' THEN json_extract(data, '$.role') END AS role
       FROM message WHERE session_id = ? ORDER BY time_created, id`,
    ).all(sessionId);
    return rows.map((row) => roleRow.parse(row));
  }

  /** JSON of parts that may be text, with their message ids; null if unreadable or too large. Loads only `TOOL_PART` of tool calls. */
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
    this.database.close();
  }

  /** Also compares the owner, because in a damaged database an id can occur twice. */
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
    const statement = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, statement);
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
