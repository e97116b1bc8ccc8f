import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { z } from 'zod';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { Database } from '../../platform/sqlite.js';
import { History, PART_LIMIT_BYTES, type UnparsedSession } from './rows.js';
import { parseJson } from './schema.js';

/**
 * The layout before the database (releases up to 1.1): `storage/session/<project>/<session>.json`,
 * `storage/message/<session>/<message>.json`, `storage/part/<message>/<part>.json`. It is indexed into a
 * database in memory whose views read the files only when a row's `data` is asked for, so that one set of
 * queries serves both layouts and no history is held in memory.
 */

const times = z.object({ created: z.number(), updated: z.number().optional().catch(undefined) });
const sessionFile = z.object({
  id: z.string().min(1),
  parentID: z.string().nullish(),
  slug: z.string().nullish(),
  directory: z.string().nullish(),
  title: z.string().nullish(),
  version: z.string().nullish(),
  revert: z.unknown().optional(),
  time: times,
});
type SessionFile = z.infer<typeof sessionFile>;

const number = z.number().optional().catch(undefined);
const messageFile = z.object({
  time: z.object({ created: z.number(), completed: number }),
});
/** What a part says about when it changed. */
const partFile = z.object({
  time: z.object({ start: number, end: number }).optional().catch(undefined),
  state: z
    .object({ time: z.object({ start: number, end: number }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

const TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, parent_id, slug, directory, title, version, revert, time_created, time_updated);
  CREATE TABLE message_file (id TEXT PRIMARY KEY, session_id TEXT, time_created, time_updated, file TEXT, bytes INTEGER);
  CREATE INDEX message_of ON message_file (session_id, time_created, id);
  CREATE TABLE part_file (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created, time_updated, file TEXT, bytes INTEGER);
  CREATE INDEX part_of ON part_file (message_id, id);
  CREATE INDEX part_in ON part_file (session_id);
  CREATE VIEW message AS SELECT id, session_id, time_created, time_updated, bytes, file_text(file) AS data FROM message_file;
  CREATE VIEW part AS SELECT id, message_id, session_id, time_created, time_updated, bytes, file_text(file) AS data FROM part_file;
`;

/**
 * @param superseded says of a session (id, time of its last update) that a newer copy is known: its messages
 *   are not looked at
 * @throws UserError `unreadable` when the folder may not be read
 */
export function openStorage(
  path: string,
  superseded: (id: string, updatedMs: number) => boolean,
): { history: History; unparsed: UnparsedSession[] } {
  try {
    readdirSync(join(path, 'session'));
  } catch (error) {
    const denied = isErrno(error, 'EACCES');
    throw new UserError(
      'unreadable',
      `${path} ${denied ? 'cannot be read: permission denied' : 'cannot be read'}`,
      {
        hint: denied ? 'run this as the user who runs opencode' : messageOf(error),
        cause: error,
      },
    );
  }
  const database = new Database(':memory:');
  database.function('file_text', { directOnly: false }, (file) => readText(String(file)));
  database.exec(TABLES);
  const indexer = new Indexer(path, database);
  database.transaction(() => indexer.run(superseded))();
  return {
    history: new History(path, 'json', database, 'bytes', indexer.stamps),
    unparsed: indexer.unparsed,
  };
}

class Indexer {
  readonly stamps = new Map<string, string>();
  readonly unparsed: UnparsedSession[] = [];
  readonly #root: string;
  readonly #addSession: Statement;
  readonly #addMessage: Statement;
  readonly #addPart: Statement;

  constructor(root: string, database: Database) {
    this.#root = root;
    this.#addSession = database.prepare('INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#addMessage = database.prepare('INSERT OR IGNORE INTO message_file VALUES (?, ?, ?, ?, ?, ?)');
    this.#addPart = database.prepare('INSERT OR IGNORE INTO part_file VALUES (?, ?, ?, ?, ?, ?, ?)');
  }

  run(superseded: (id: string, updatedMs: number) => boolean): void {
    for (const project of entriesOf(join(this.#root, 'session'))) {
      if (!project.isDirectory()) continue;
      for (const path of jsonFiles(join(this.#root, 'session', project.name)))
        this.#session(path, superseded);
    }
  }

  #session(path: string, superseded: (id: string, updatedMs: number) => boolean): void {
    const text = readText(path);
    const parsed = sessionFile.safeParse(text === null ? undefined : parseJson(text));
    if (!parsed.success) {
      this.unparsed.push({
        id: basename(path, '.json'),
        why: text === null ? 'unreadable' : 'not a session',
      });
      return;
    }
    const session = parsed.data;
    if (superseded(session.id, session.time.updated ?? session.time.created)) return;
    try {
      this.stamps.set(session.id, this.#messages(session));
    } catch (error) {
      this.unparsed.push({ id: session.id, why: messageOf(error) });
      return;
    }
    const revert =
      session.revert === undefined || session.revert === null ? null : JSON.stringify(session.revert);
    this.#addSession.run(
      session.id,
      session.parentID ?? null,
      session.slug ?? null,
      session.directory ?? null,
      session.title ?? null,
      session.version ?? null,
      revert,
      session.time.created,
      session.time.updated ?? session.time.created,
    );
  }

  /**
   * Returns what changes whenever any of the session's files does.
   *
   * @throws Error when a folder cannot be read: what it holds would be missing
   */
  #messages(session: SessionFile): string {
    const stamp = createHash('sha256');
    for (const path of jsonFiles(join(this.#root, 'message', session.id))) {
      const id = basename(path, '.json');
      const stat = statOf(path);
      if (stat === undefined) continue;
      stamp.update(`${id} ${stat.size} ${stat.mtimeMs}\n`);
      const text = stat.size > PART_LIMIT_BYTES ? null : readText(path);
      const json = text === null ? undefined : parseJson(text);
      const { data: message } = messageFile.safeParse(json);
      // Reported when the session is transcribed: no JSON as that, a message of unknown time for the null.
      const created = message?.time.created ?? (json === undefined ? session.time.created : null);
      this.#addMessage.run(id, session.id, created, message?.time.completed ?? created, path, stat.size);
      for (const part of jsonFiles(join(this.#root, 'part', id))) {
        const partStat = statOf(part);
        if (partStat === undefined) continue;
        stamp.update(`${basename(part)} ${partStat.size} ${partStat.mtimeMs}\n`);
        // Parts of a completed message ended before it did; others are asked, one by one.
        const changed = message?.time.completed === undefined ? partTime(part, partStat) : undefined;
        this.#addPart.run(basename(part, '.json'), id, session.id, 0, changed ?? 0, part, partStat.size);
      }
    }
    return stamp.digest('hex');
  }
}

function partTime(path: string, stat: Stats): number | undefined {
  const text = stat.size > PART_LIMIT_BYTES ? null : readText(path);
  const part = partFile.safeParse(text === null ? undefined : parseJson(text)).data;
  const found = [part?.time?.start, part?.time?.end, part?.state?.time?.start, part?.state?.time?.end];
  const known = found.filter((time): time is number => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** None where there is no such folder: a message may have no parts. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Paths of the `.json` files in a folder, sorted by name. */
function jsonFiles(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(folder, entry.name))
    .sort();
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Null (which is reported as a row that does not parse) when the file cannot be read. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
