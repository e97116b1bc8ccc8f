import { z } from 'zod';
import { isTooDeep, parseJson } from '../../core/json.js';
import {
  type Change,
  type Judge,
  type MessageEntry,
  PART_LIMIT_BYTES,
  type RowId,
  type SessionHistory,
  type SessionList,
  TOOL_PART,
  type UnparsedSession,
} from './history.js';
import { type DataRow, dataRow, roleOf, type SessionRow } from './schema.js';
import { numberIn, TableHistory, type TableOptions } from './tables.js';
import { KNOWN_TYPES, type Translated, translate } from './translate.js';

/** Columns that the layout cannot do without, beside a table of sessions. */
export const SEQUENCE_COLUMNS = ['id', 'session_id', 'data'];

/** Tables of prompts that wait for their turn, by release. */
export const QUEUES = ['session_input', 'session_pending', 'session_inbox'];
const QUEUE_DATA = ['data', 'payload', 'prompt'];
const QUEUE_ORDER = ['admitted_seq', 'enqueued_seq', 'time_created'];

/**
 * The layout of opencode 2: a row per message in `session_message`, ordered by `seq`, and waiting prompts in a queue. The
 * sessions are in `session_v2` (or a later one), in betas in `session`. Rows are translated into those of 1.x.
 */
export class SequenceHistory extends TableHistory implements SessionHistory {
  readonly layout = 'sequence';
  /** The newest first. */
  readonly #sessionTables: readonly string[];
  /** With waiting prompts. */
  protected readonly messages: string;
  /** The last message that was read, because its parts are read next. */
  #last: { id: string; row: z.infer<typeof messageRow>; translated: Translated | undefined } | undefined;

  /** @param tables names of the tables with sessions, the newest first */
  constructor(options: TableOptions, tables: readonly string[]) {
    super(options);
    this.#sessionTables = tables;
    const queues = QUEUES.flatMap((table) => this.#waiting(table) ?? []);
    this.messages = `(${[this.#stored(), ...queues].join(' UNION ALL ')})`;
  }

  /** SQL: the rows of `session_message`, with all columns that are used. */
  #stored(): string {
    const columns = this.columns('session_message');
    const or = (name: string, other: string) => (columns.has(name) ? `"${name}"` : other);
    const fromData = (path: string) => `CASE WHEN json_valid(data) THEN json_extract(data, '${path}') END`;
    return `SELECT id, session_id, ${or('type', fromData('$.type'))} AS type, data,
       ${or('seq', 'rowid')} AS seq, 0 AS waiting,
       ${or('time_created', fromData('$.time.created'))} AS time_created,
       ${or('time_updated', 'NULL')} AS time_updated FROM session_message`;
  }

  #waiting(table: string): string | undefined {
    const columns = this.columns(table);
    const [data] = QUEUE_DATA.filter((name) => columns.has(name));
    if (data === undefined || !columns.has('id') || !columns.has('session_id')) return undefined;
    const order = QUEUE_ORDER.find((name) => columns.has(name)) ?? 'rowid';
    const isWaiting = columns.has('promoted_seq') ? 'promoted_seq IS NULL AND' : '';
    return `SELECT id, session_id, ${columns.has('type') ? 'type' : "'user'"}, "${data}", "${order}", 1,
       ${columns.has('time_created') ? 'time_created' : 'NULL'}, NULL FROM "${table}"
       WHERE ${isWaiting} id NOT IN (SELECT id FROM session_message)`;
  }

  session(id: string): SessionRow | undefined {
    const [row] = this.#sessionTables.flatMap(
      (table) => this.readSessions(`${this.sessionsIn(table)} WHERE id = ?`, id).sessions,
    );
    return row === undefined ? undefined : this.#moved(row, this.#directories(id));
  }

  sessions(): SessionList {
    const sessions = new Map<string, SessionRow>();
    const directories = this.#directories();
    const unparsed: UnparsedSession[] = [];
    for (const table of this.#sessionTables) {
      // In an upgraded database, the sessions of 1.x are in its layout.
      const own = table === 'session' ? ` WHERE id IN (SELECT session_id FROM ${this.messages})` : '';
      const found = this.readSessions(`${this.sessionsIn(table)}${own}`);
      for (const row of found.sessions)
        if (!sessions.has(row.id)) sessions.set(row.id, this.#moved(row, directories));
      unparsed.push(...found.unparsed);
    }
    return this.withRowless({ sessions: [...sessions.values()], unparsed }, this.#sessionTables);
  }

  /** By session id: the folder to which it was moved last. */
  #directories(sessionId?: string): Map<string, string> {
    const sql = `SELECT session_id, data FROM ${this.messages} WHERE type = 'location-switched'`;
    const own = sessionId === undefined ? '' : ' AND session_id = ?';
    const rows = this.prepare(`${sql}${own} ORDER BY seq`).all(
      ...(sessionId === undefined ? [] : [sessionId]),
    );
    const directories = new Map<string, string>();
    for (const row of rows) {
      const { data } = movedRow.safeParse(row);
      const directory = data && locationData.safeParse(parseJson(data.data)).data?.location.directory;
      if (data && directory) directories.set(data.session_id, directory);
    }
    return directories;
  }

  #moved(row: SessionRow, directories: ReadonlyMap<string, string>): SessionRow {
    // A part of a message has no id of its own: the whole message is taken back.
    const revert = row.revert?.startsWith('{') ? withoutPart(row.revert) : row.revert;
    return { ...row, revert, directory: directories.get(row.id) ?? row.directory };
  }

  changes(sessions: readonly SessionRow[]): Map<string, Change> {
    const messages = this.groups(this.messages, ['time_created', 'time_updated'], sessions);
    return new Map(sessions.map((session) => [session.id, this.changeOf(session, messages.get(session.id))]));
  }

  messageList(sessionId: string): MessageEntry[] {
    const sql = `SELECT id, time_created AS time FROM ${this.messages} WHERE session_id = ?`;
    return this.entries(this.prepare(`${sql} ORDER BY waiting, seq, time_created, id`).all(sessionId));
  }

  message(id: string, sessionId: string): DataRow | undefined {
    const read = this.#read(id, sessionId);
    if (read === undefined) return undefined;
    const { row, translated } = read;
    const data = translated === undefined ? row.data : JSON.stringify(translated.message);
    return dataRow.safeParse({ id, time_created: row.time, data, bytes: row.bytes }).data;
  }

  partIds(messageId: string): RowId[] {
    const parts = this.#read(messageId)?.translated?.parts ?? [];
    return parts.map((_, index) => partId(messageId, index));
  }

  part(id: string, messageId: string): DataRow | undefined {
    const parts = this.#read(messageId)?.translated?.parts ?? [];
    const part = parts.find((_, index) => partId(messageId, index) === id);
    if (part === undefined) return undefined;
    const data = JSON.stringify(part);
    return { id, time_created: 0, data, bytes: Buffer.byteLength(data) };
  }

  messageChangedMs(id: string): number {
    const sql = `SELECT ${this.newest(['time_created', 'time_updated'])} FROM ${this.messages} WHERE id = ?`;
    return numberIn(this.prepare(sql).pluck().get(id)) ?? 0;
  }

  /** Reads each message once: it contains its parts. */
  messageRoles(sessionId: string, judge: Judge) {
    return this.messageList(sessionId).map(({ id = '' }) => {
      for (const part of this.#read(id, sessionId)?.translated?.parts ?? []) {
        const data = part.type === 'tool' ? TOOL_PART : JSON.stringify(part);
        if (part.type !== 'reasoning') judge({ message_id: id, data });
      }
      return { id, role: roleOf(this.message(id, sessionId)?.data) };
    });
  }

  /** Undefined `translated`: its data is unreadable, which is reported as for 1.x. */
  #read(id: string, sessionId?: string) {
    if (this.#last?.id === id) return this.#last;
    const sql = `SELECT id, type, coalesce(${this.size}, 0) AS bytes, time_created AS time,
       CASE WHEN ${this.size} > ${PART_LIMIT_BYTES} THEN NULL ELSE data END AS data FROM ${this.messages} WHERE id = ?`;
    const own = sessionId === undefined ? [] : [sessionId];
    const row = messageRow.safeParse(
      this.prepare(own.length > 0 ? `${sql} AND session_id = ?` : sql).get(id, ...own),
    ).data;
    if (row === undefined) return undefined;
    const json = row.data === null ? undefined : parseJson(row.data);
    const isReadable = json !== undefined && !isTooDeep(json);
    this.#last = { id, row, translated: isReadable ? translate(row.type, json) : undefined };
    return this.#last;
  }

  /** Whether it contains messages, and none of a known type. Reads rows up to the first known one. */
  isUnknown(): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM ${this.messages}) AND NOT EXISTS
       (SELECT 1 FROM ${this.messages} WHERE type IN (SELECT value FROM json_each(?)))`;
    return this.prepare(sql).pluck().get(JSON.stringify(KNOWN_TYPES)) === 1;
  }
}

function partId(messageId: string, index: number): string {
  return `${messageId}.${String(index + 1).padStart(4, '0')}`;
}

function withoutPart(revert: string): string {
  const json = parseJson(revert);
  return typeof json === 'object' && json !== null ? JSON.stringify({ ...json, partID: undefined }) : revert;
}

const movedRow = z.object({ session_id: z.string(), data: z.string() });
const locationData = z.object({ location: z.object({ directory: z.string() }) });
const messageRow = z.object({
  id: z.string(),
  type: z.string().catch(''),
  data: z.string().nullable().catch(null),
  bytes: z.number(),
  time: z.number().catch(0),
});
