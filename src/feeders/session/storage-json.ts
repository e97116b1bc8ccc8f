import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { z } from 'zod';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import { regularText } from '../../platform/regular-file.js';
import { Database } from '../../platform/sqlite.js';
import { History, PART_LIMIT_BYTES, type UnparsedSession } from './rows.js';
import { optionalNumber, sessionInfo } from './schema.js';

/**
 * The layout of releases up to 1.1: `storage/session/<project>/<session>.json`,
 * `storage/message/<session>/<message>.json`, `storage/part/<message>/<part>.json`. It is indexed into an in-memory
 * database, so that the same queries serve both layouts. Its views read a file only when a row's `data` is selected.
 */

const messageFile = z.object({ time: z.object({ created: z.number(), completed: optionalNumber }) });
/** The times of a part. */
const period = z.object({ start: optionalNumber, end: optionalNumber }).optional().catch(undefined);
const partFile = z.object({
  time: period,
  state: z.object({ time: period }).optional().catch(undefined),
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
 * @param superseded whether a newer copy of a session (id, time of its last update) is known: it is then skipped
 * @throws UserError `unreadable` when the folder is not readable
 */
export function openStorage(
  path: string,
  superseded: (id: string, updatedMs: number) => boolean,
): { history: History; unparsed: UnparsedSession[] } {
  try {
    readdirSync(join(path, 'session'));
  } catch (error) {
    const denied = isErrno(error, 'EACCES');
    const hint = denied ? 'run this as the user who runs opencode' : messageOf(error);
    const what = `cannot be read${denied ? ': permission denied' : ''}`;
    throw new UserError('unreadable', `${path} ${what}`, { hint, cause: error });
  }
  const database = new Database(':memory:');
  database.function('file_text', { directOnly: false }, (file) => readText(String(file)));
  database.exec(TABLES);
  const indexer = new Indexer(path, database, superseded);
  database.transaction(() => indexer.run())();
  return {
    history: new History(path, database, 'bytes', indexer.stamps),
    unparsed: indexer.unparsed,
  };
}

class Indexer {
  readonly stamps = new Map<string, string>();
  readonly unparsed: UnparsedSession[] = [];
  readonly #addSession: Statement;
  readonly #addMessage: Statement;
  readonly #addPart: Statement;

  constructor(
    private readonly root: string,
    database: Database,
    private readonly superseded: (id: string, updatedMs: number) => boolean,
  ) {
    this.#addSession = database.prepare('INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#addMessage = database.prepare('INSERT OR IGNORE INTO message_file VALUES (?, ?, ?, ?, ?, ?)');
    this.#addPart = database.prepare('INSERT OR IGNORE INTO part_file VALUES (?, ?, ?, ?, ?, ?, ?)');
  }

  run(): void {
    const projects = entriesOf(join(this.root, 'session')).filter((entry) => entry.isDirectory());
    for (const { name } of projects)
      for (const path of jsonFiles(join(this.root, 'session', name))) this.#session(path);
  }

  #session(path: string): void {
    const json = readText(path);
    const session = sessionInfo.safeParse(json === null ? undefined : parseJson(json)).data;
    if (session === undefined) {
      const why = json === null ? 'unreadable' : 'not a session';
      this.unparsed.push({ id: basename(path, '.json'), why });
      return;
    }
    const { id, parent_id, slug, directory, title, version, revert, time_created, time_updated } = session;
    if (this.superseded(id, time_updated)) return;
    try {
      this.stamps.set(id, this.#messages(id, time_created));
    } catch (error) {
      this.unparsed.push({ id, why: messageOf(error) });
      return;
    }
    const texts = [parent_id, slug, directory, title, version].map((each) => each ?? null);
    this.#addSession.run(id, ...texts, revert, time_created, time_updated);
  }

  /**
   * Indexes a session's messages and parts. Returns a hash of its files' sizes and times.
   *
   * @throws Error when a folder cannot be read
   */
  #messages(sessionId: string, createdMs: number): string {
    const stamp = createHash('sha256');
    for (const path of jsonFiles(join(this.root, 'message', sessionId))) {
      const id = basename(path, '.json');
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      stamp.update(`${id} ${stat.size} ${stat.mtimeMs}\n`);
      const json = smallJson(path, stat);
      const { data: message } = messageFile.safeParse(json);
      // Transcribing the session reports both: malformed JSON, and a null time.
      const created = message?.time.created ?? (json === undefined ? createdMs : null);
      this.#addMessage.run(id, sessionId, created, message?.time.completed ?? created, path, stat.size);
      for (const part of jsonFiles(join(this.root, 'part', id))) {
        const partStat = statSync(part, { throwIfNoEntry: false });
        if (partStat === undefined) continue;
        stamp.update(`${basename(part)} ${partStat.size} ${partStat.mtimeMs}\n`);
        // Parts of a completed message ended before it; the times of other parts are read from their files.
        const changed = message?.time.completed === undefined ? partTime(part, partStat) : undefined;
        this.#addPart.run(basename(part, '.json'), id, sessionId, 0, changed ?? 0, part, partStat.size);
      }
    }
    return stamp.digest('hex');
  }
}

function partTime(path: string, stat: Stats): number | undefined {
  const part = partFile.safeParse(smallJson(path, stat)).data;
  const found = [part?.time?.start, part?.time?.end, part?.state?.time?.start, part?.state?.time?.end];
  const known = found.filter((time): time is number => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function smallJson(path: string, { size }: Stats): unknown {
  const content = size > PART_LIMIT_BYTES ? null : readText(path);
  return content === null ? undefined : parseJson(content);
}

/** Empty if the folder does not exist: a message may have no parts. */
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

/** Null when the file cannot be read; it is then reported as a malformed row. */
function readText(path: string): string | null {
  try {
    return regularText(path) ?? null;
  } catch {
    return null;
  }
}
