import Database from 'better-sqlite3';
import { START_MS } from './opencode-database.js';

export const SESSIONS_2 = `
  CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, fork_session_id text, fork_boundary text, slug text NOT NULL, directory text NOT NULL, path text, title text, version text NOT NULL, share_url text, metadata text, cost real DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer, time_suspended integer, resume_attempts integer DEFAULT 0 NOT NULL, time_idle integer, time_viewed integer, idle_outcome text);
`;
export const MESSAGES_2 = `
  CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq);
  CREATE TABLE session_input (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, data text NOT NULL, delivery text NOT NULL, admitted_seq integer NOT NULL, promoted_seq integer, time_created integer NOT NULL);
`;

export interface Message2 {
  id?: string;
  /** `user` when absent. */
  type?: string;
  /** One more than that of the message before when absent. */
  seq?: number;
  /** Epoch milliseconds; a second after the message before when absent. */
  at?: number;
  /** The JSON, or anything else to be stored as it is. */
  data: Record<string, unknown> | string;
}

/** A user's message, an answer with text. */
export const asked = (text: string): Message2 => ({ data: { text } });
export const answered = (...content: (string | Record<string, unknown>)[]): Message2 => ({
  type: 'assistant',
  data: {
    agent: 'build',
    model: { id: 'model-2', providerID: 'mock' },
    content: content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  },
});

/** A database with the tables of opencode 2; those of 1.x may be there as well. */
export class Opencode2Database {
  readonly database: Database.Database;
  #count = 0;

  /** @param tables are made */
  constructor(
    readonly path: string,
    tables = SESSIONS_2 + MESSAGES_2,
  ) {
    this.database = new Database(path);
    this.database.pragma('synchronous = OFF');
    this.database.exec(tables);
  }

  /** @param columns added to, or in place of, those of every session. Returns the id */
  addSession(id: string, messages: readonly Message2[] = [], columns: Record<string, unknown> = {}): string {
    const row = {
      id,
      project_id: 'global',
      slug: 'quiet-river',
      directory: '/home/dev/shop',
      title: `Title of ${id}`,
      version: '2.0.12',
      time_created: START_MS,
      time_updated: START_MS,
      ...columns,
    };
    const names = Object.keys(row);
    const marks = names.map((name) => `@${name}`);
    this.database.prepare(`INSERT INTO session_v2 (${names}) VALUES (${marks})`).run(row);
    this.addMessages(id, messages);
    return id;
  }

  addMessages(sessionId: string, messages: readonly Message2[]): void {
    const last = this.database
      .prepare('SELECT max(seq) AS seq, max(time_created) AS at FROM session_message WHERE session_id = ?')
      .get(sessionId) as { seq: number | null; at: number | null };
    let seq = last.seq ?? 0;
    let at = last.at ?? START_MS;
    for (const message of messages) {
      seq = message.seq ?? seq + 1;
      at = message.at ?? at + 1_000;
      const data =
        typeof message.data === 'string'
          ? message.data
          : JSON.stringify({ time: { created: at }, ...message.data });
      this.database
        .prepare('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(message.id ?? this.#id('msg'), sessionId, message.type ?? 'user', seq, at, at, data);
    }
  }

  addInput(sessionId: string, text: string, promotedSeq: number | null = null): void {
    this.database
      .prepare("INSERT INTO session_input VALUES (?, ?, 'user', ?, 'queue', ?, ?, ?)")
      .run(
        this.#id('inp'),
        sessionId,
        JSON.stringify({ text }),
        1_000 + this.#count,
        promotedSeq,
        START_MS + 9e5,
      );
  }

  close(): void {
    this.database.close();
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_2${String(this.#count).padStart(9, '0')}test`;
  }
}
