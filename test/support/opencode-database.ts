import Database from 'better-sqlite3';

/** A part: its JSON, or anything else to be stored as it is (broken rows). */
export type PartPlan =
  | Record<string, unknown>
  | string
  | Buffer
  | { raw: unknown; id?: string; updated?: number };

export interface MessagePlan {
  id?: string;
  role?: 'user' | 'assistant' | string;
  /** Epoch milliseconds; a second after the message before when absent. */
  at?: number;
  updated?: number;
  /** Added to the message's JSON. */
  data?: Record<string, unknown>;
  /** Stored in place of the JSON. */
  raw?: unknown;
  /** A string is a text part. */
  parts?: PartPlan[];
}

export interface SessionPlan {
  id?: string;
  parent?: string | null;
  slug?: string;
  title?: string;
  directory?: string;
  version?: string;
  revert?: Record<string, unknown> | string | null;
  /** Epoch milliseconds. */
  created?: number;
  updated?: number;
  messages?: MessagePlan[];
}

/** The session tables of opencode 1.18.33, and a table of secrets that must never be read. */
const SCHEMA = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text, summary_additions integer, summary_deletions integer, summary_files integer, summary_diffs text, metadata text, cost real DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE account (id text PRIMARY KEY, access_token text NOT NULL);
  CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
  CREATE INDEX part_message_id_id_idx ON part (message_id, id);
  CREATE INDEX part_session_idx ON part (session_id);
  INSERT INTO project VALUES ('global', '/', NULL, 0, 0, '[]');
`;

export const DAY_MS = 24 * 3_600_000;
/** 2026-03-02 10:00:00 UTC. */
export const START_MS = Date.UTC(2026, 2, 2, 10);

/**
 * An opencode database that is written while it is open: sessions can be added, grown, undone and removed as
 * opencode does. Ids that a plan leaves out are numbered, so that the same plans give the same rows.
 */
export class OpencodeDatabase {
  readonly database: Database.Database;
  #count = 0;

  constructor(
    readonly path: string,
    options: { wal?: boolean; existing?: boolean } = {},
  ) {
    this.database = new Database(path);
    if (options.wal === true) this.database.pragma('journal_mode = WAL');
    // The database does not have to survive a power cut.
    this.database.pragma('synchronous = OFF');
    if (options.existing !== true) this.database.exec(SCHEMA);
    // After every id that was numbered before.
    else this.#count = 1_000_000;
  }

  /** Returns the session's id. */
  addSession(plan: SessionPlan): string {
    const id = plan.id ?? this.#id('ses');
    const created = plan.created ?? START_MS;
    const revert =
      typeof plan.revert === 'object' && plan.revert !== null ? JSON.stringify(plan.revert) : plan.revert;
    this.database
      .prepare(
        `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, revert, time_created, time_updated)
         VALUES (?, 'global', ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        plan.parent ?? null,
        plan.slug ?? 'quiet-river',
        plan.directory ?? '/home/dev/shop',
        plan.title ?? 'A session',
        plan.version ?? '1.18.33',
        revert ?? null,
        created,
        plan.updated ?? created,
      );
    let at = created;
    for (const message of plan.messages ?? []) at = this.addMessage(id, { at: at + 1_000, ...message });
    return id;
  }

  /** Returns the message's time. */
  addMessage(sessionId: string, plan: MessagePlan): number {
    const id = plan.id ?? this.#id('msg');
    const at = plan.at ?? START_MS;
    const role = plan.role ?? 'user';
    const answer = role === 'assistant' ? { modelID: 'model-1', providerID: 'mock', agent: 'build' } : {};
    const data = plan.raw ?? JSON.stringify({ role, time: { created: at }, ...answer, ...plan.data });
    this.database
      .prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
      .run(id, sessionId, at, plan.updated ?? at, data);
    for (const part of plan.parts ?? []) this.addPart(sessionId, id, part, at);
    return at;
  }

  addPart(sessionId: string, messageId: string, part: PartPlan, at: number): void {
    const raw = typeof part === 'object' && 'raw' in part ? part : undefined;
    const json = typeof part === 'string' ? { type: 'text', text: part } : part;
    const data = raw === undefined ? (Buffer.isBuffer(json) ? json : JSON.stringify(json)) : raw.raw;
    const id = typeof raw?.id === 'string' ? raw.id : this.#id('prt');
    const updated = typeof raw?.updated === 'number' ? raw.updated : at;
    this.database
      .prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)')
      .run(id, messageId, sessionId, at, updated, data);
  }

  /** Copies messages as a fork does: new ids, the same times, the same content. Returns the fork's id. */
  fork(sessionId: string, plan: SessionPlan & { upTo?: number }): string {
    const rows = this.database
      .prepare('SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id')
      .all(sessionId) as { id: string; time_created: number; data: string }[];
    const parts = this.database.prepare('SELECT data FROM part WHERE message_id = ? ORDER BY id').pluck();
    const { upTo, messages, ...rest } = plan;
    const fork = this.addSession({ title: 'A session (fork #1)', ...rest });
    for (const row of rows.slice(0, upTo)) {
      const copied = (parts.all(row.id) as string[]).map((data) => ({
        raw: data,
        updated: plan.created ?? START_MS,
      }));
      this.addMessage(fork, {
        at: row.time_created,
        raw: row.data,
        parts: copied,
        updated: plan.created ?? START_MS,
      });
    }
    let at = plan.created ?? START_MS;
    for (const message of messages ?? []) at = this.addMessage(fork, { at: at + 1_000, ...message });
    return fork;
  }

  close(): void {
    this.database.close();
  }

  /** Sorts like opencode's ids: in order of creation. */
  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${String(this.#count).padStart(10, '0')}test`;
  }
}

/** A question and its answer. */
export function exchange(question: string, answer: string): MessagePlan[] {
  return [
    { role: 'user', parts: [question] },
    { role: 'assistant', parts: [answer] },
  ];
}

/** A session of a database as `opencode export` writes it. */
export function exportOf(database: Database.Database, sessionId: string) {
  type Row = Record<string, string | number | null>;
  const rows = (sql: string, key: string) => database.prepare<[string], Row>(sql).all(key);
  const [session] = rows('SELECT * FROM session WHERE id = ?', sessionId);
  if (session === undefined) throw new Error(`no session ${sessionId}`);
  const { id, slug, directory, title, version, parent_id, revert, time_created, time_updated } = session;
  return {
    info: {
      id,
      slug,
      directory,
      title,
      version,
      ...(parent_id === null ? {} : { parentID: parent_id }),
      ...(revert === null ? {} : { revert: JSON.parse(String(revert)) }),
      time: { created: time_created, updated: time_updated },
    },
    messages: rows('SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id', sessionId).map(
      (row) => {
        const data = JSON.parse(String(row.data));
        return {
          info: { ...data, id: row.id, sessionID: id, time: { ...data.time, created: row.time_created } },
          parts: rows('SELECT * FROM part WHERE message_id = ? ORDER BY id', String(row.id)).map((part) => ({
            ...JSON.parse(String(part.data)),
            id: part.id,
            sessionID: id,
            messageID: row.id,
          })),
        };
      },
    ),
  };
}
