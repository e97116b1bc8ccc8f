import { z } from 'zod';
import {
  type Change,
  type Judge,
  type MessageEntry,
  PART_LIMIT_BYTES,
  type RowId,
  type SessionHistory,
  type SessionList,
  TOOL_PART,
} from './history.js';
import { type DataRow, dataRow, type SessionRow } from './schema.js';
import { numberIn, TableHistory, type TableOptions } from './tables.js';

/** The columns that the layout cannot do without. */
export const PART_TABLES: Record<string, string[]> = {
  session: ['id'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'session_id', 'data'],
};

/**
 * The layout of opencode 1.x: sessions, messages, and a row for each part of a message. The JSON files of 1.1 are
 * indexed in it.
 */
export class PartHistory extends TableHistory implements SessionHistory {
  readonly layout = 'parts';
  protected readonly messages = 'message';
  readonly #stamps: ReadonlyMap<string, string>;

  /** @param stamps by session id, for histories in files */
  constructor(options: TableOptions & { stamps?: ReadonlyMap<string, string> }) {
    super(options);
    this.#stamps = options.stamps ?? new Map();
  }

  session(id: string): SessionRow | undefined {
    return this.readSessions(`${this.sessionsIn('session')} WHERE id = ?`, id).sessions[0];
  }

  sessions(): SessionList {
    return this.withRowless(this.readSessions(this.sessionsIn('session')), ['session']);
  }

  changes(sessions: readonly SessionRow[]): Map<string, Change> {
    const messages = this.groups('message', this.#times('message'), sessions);
    const parts = this.groups('part', this.#times('part'), sessions);
    return new Map(
      sessions.map((session) => {
        const { id } = session;
        const change = this.changeOf(session, messages.get(id), parts.get(id), parts.get(id)?.bytes ?? 0);
        return [id, { ...change, stamp: this.#stamps.get(id) ?? '' }];
      }),
    );
  }

  #times(table: 'message' | 'part'): string[] {
    return ['time_created', 'time_updated'].filter((name) => this.columns(table).has(name));
  }

  /** In time order. Ids alone do not sort: they contain milliseconds modulo 2^36, and wrapped on 2026-08-14. */
  messageList(sessionId: string): MessageEntry[] {
    const sql = 'SELECT id, time_created AS time FROM message WHERE session_id = ? ORDER BY';
    const inTime = this.prepare(`${sql} time_created, id`).all(sessionId);
    if (!this.isMisdated(inTime)) return this.entries(inTime);
    const written = this.entries(this.prepare(`${sql} rowid`).all(sessionId));
    return written.sort((a, b) => (a.timeMs ?? 0) - (b.timeMs ?? 0));
  }

  /** In opencode's order, which is the order of the ids (times may be those of an import). */
  partIds(messageId: string): RowId[] {
    return this.#ids('SELECT id FROM part WHERE message_id = ? ORDER BY id', messageId);
  }

  strayPartIds(sessionId: string): RowId[] {
    return this.#ids(
      `SELECT id FROM part WHERE session_id = ? AND NOT EXISTS
         (SELECT 1 FROM message WHERE message.id = part.message_id AND message.session_id = part.session_id)
       ORDER BY id`,
      sessionId,
    );
  }

  incompleteMessages(sessionId: string): string[] {
    const damaged = (test: string) =>
      `CASE WHEN ${this.size} > ${CHECKED_BYTES} THEN 0 WHEN json_valid(data) IS NOT 1 THEN 1 ELSE ${test} END`;
    const sql = `SELECT id FROM message WHERE session_id = ?
       AND (NOT EXISTS (SELECT 1 FROM part WHERE part.message_id = message.id)
         OR ${damaged(NO_ROLE)} OR EXISTS (SELECT 1 FROM part WHERE part.message_id = message.id AND ${damaged(UNFINISHED)}))`;
    return this.#ids(sql, sessionId).flatMap((id) => id ?? []);
  }

  message(id: string, sessionId: string): DataRow | undefined {
    return this.#row('message', 'time_created', id, 'session_id', sessionId);
  }

  part(id: string, messageId: string): DataRow | undefined {
    return this.#row('part', '0 AS time_created', id, 'message_id', messageId);
  }

  messageChangedMs(id: string): number {
    const message = this.prepare(`SELECT ${this.newest(this.#times('message'))} FROM message WHERE id = ?`);
    const parts = this.prepare(`SELECT ${this.newest(this.#times('part'))} FROM part WHERE message_id = ?`);
    return Math.max(0, ...[message, parts].map((sql) => numberIn(sql.pluck().get(id)) ?? 0));
  }

  messageRoles(sessionId: string, judge: Judge) {
    const parts = this.prepare(
      `SELECT message_id, CASE WHEN ${this.size} > ${PART_LIMIT_BYTES} THEN NULL
         WHEN substr(data, 1, 14) = '${TOOL_PART}' THEN '${TOOL_PART}' ELSE data END AS data
       FROM part WHERE session_id = ? AND CASE WHEN ${this.size} <= ${PART_LIMIT_BYTES}
         THEN substr(data, 1, 14) NOT IN ('{"type":"step-', '{"type":"reaso') ELSE 1 END`,
    ).iterate(sessionId);
    for (const part of parts) judge(textRow.parse(part));
    const rows = this.prepare(
      `SELECT id, CASE WHEN typeof(id) <> 'text' OR ${this.size} > ${PART_LIMIT_BYTES} THEN NULL WHEN json_valid(data)
         AND json_type(data, '$.role') = 'text' THEN json_extract(data, '$.role') END AS role
       FROM message WHERE session_id = ? ORDER BY time_created, id`,
    ).all(sessionId);
    return rows.map((row) => roleRow.parse(row));
  }

  /** Also compares the owner, because in a damaged database an id can occur twice. */
  #row(
    table: 'message' | 'part',
    time: string,
    id: string,
    owner: 'session_id' | 'message_id',
    ownerId: string,
  ): DataRow | undefined {
    const row = this.prepare(
      `SELECT id, ${time}, CASE WHEN ${this.size} > ${PART_LIMIT_BYTES} THEN NULL ELSE data END AS data,
         coalesce(${this.size}, 0) AS bytes FROM ${table} WHERE id = ? AND ${owner} = ?`,
    ).get(id, ownerId);
    return dataRow.safeParse(row).data;
  }

  #ids(sql: string, key: string): RowId[] {
    const ids = this.prepare(sql).pluck().all(key);
    return ids.map((id) => (typeof id === 'string' ? id : undefined));
  }
}

/** Larger rows are not checked for damage: their text would have to be loaded. */
const CHECKED_BYTES = 4096;
/** SQL: the row of a message is none. */
const NO_ROLE = "json_type(data, '$.role') IS NOT 'text'";
/** SQL: a part is empty, or its tool has not finished. */
const UNFINISHED = `CASE json_extract(data, '$.type')
  WHEN 'tool' THEN coalesce(json_extract(data, '$.state.status'), 'pending') IN ('pending', 'running')
  ELSE json_type(data) <> 'object' OR trim(coalesce(json_extract(data, '$.text'), '')) = '' END`;

const roleRow = z.object({ id: z.string().catch(''), role: z.string().optional().catch(undefined) });

const textRow = z.object({
  message_id: z.string().nullable().catch(null),
  data: z.string().nullable().catch(null),
});
