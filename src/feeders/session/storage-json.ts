import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { z } from 'zod';
import { latestBelievable } from '../../core/believed-time.js';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { parseJson, withoutPadding } from '../../core/json.js';
import { regularText } from '../../platform/regular-file.js';
import { Database } from '../../platform/sqlite.js';
import { type Copy, PART_LIMIT_BYTES, type SessionHistory, type UnparsedSession } from './history.js';
import { realPathOf } from './locate.js';
import { PartHistory } from './rows.js';
import { type DataRow, isWholePart, optionalNumber, roleOf, sessionInfo } from './schema.js';

/**
 * The layout of releases up to 1.1: `storage/session/<project>/<session>.json`,
 * `storage/message/<session>/<message>.json`, `storage/part/<message>/<part>.json`. It is indexed into an in-memory
 * database, so that the same queries serve both layouts. Its views read a file only when a row's `data` is selected.
 */

const messageFile = z.object({ time: z.object({ created: z.number(), completed: optionalNumber }) });
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
 * @param copiesOf the copies of a session in databases. A session is skipped if they are as new, and contain all its
 *   messages and parts: a migration to the database left the files, and some migrations stopped halfway
 * @throws UserError `unreadable` when the folder is not readable
 */
export function openStorage(
  path: string,
  copiesOf: (id: string) => readonly Copy[],
): { history: SessionHistory; unparsed: UnparsedSession[] } {
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
  const indexer = new Indexer(path, database, copiesOf);
  database.transaction(() => indexer.run())();
  const options = { path, database, latestMs: Number.POSITIVE_INFINITY, size: 'bytes' };
  return { history: new PartHistory({ ...options, stamps: indexer.stamps }), unparsed: indexer.unparsed };
}

type SessionInfo = z.infer<typeof sessionInfo>;

class Indexer {
  readonly stamps = new Map<string, string>();
  readonly unparsed: UnparsedSession[] = [];
  readonly #addSession: Statement;
  readonly #addMessage: Statement;
  readonly #addPart: Statement;

  constructor(
    private readonly root: string,
    database: Database,
    private readonly copiesOf: (id: string) => readonly Copy[],
  ) {
    this.#addSession = database.prepare('INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#addMessage = database.prepare('INSERT OR IGNORE INTO message_file VALUES (?, ?, ?, ?, ?, ?)');
    this.#addPart = database.prepare('INSERT OR IGNORE INTO part_file VALUES (?, ?, ?, ?, ?, ?, ?)');
  }

  run(): void {
    const folder = join(this.root, 'session');
    const projects = entriesOf(folder).filter((entry) => followed(folder, entry).isDirectory());
    const files = projects.flatMap(({ name }) => jsonFiles(join(folder, name)));
    const sessions = files.flatMap((file) => this.#read(file) ?? []);
    const wanted = new Set(sessions.filter((session) => this.#isNewer(session)));
    const rest = sessions.filter((session) => !wanted.has(session));
    const lacking = rest.filter(({ id }) => isSo(() => this.#lacksMessages(id)));
    // If one session lacks messages, others may lack parts. Finding out reads every folder, so it is done only then.
    const also = lacking.length === 0 ? [] : rest.filter(({ id }) => isSo(() => this.#lacksParts(id)));
    for (const session of [...wanted, ...new Set([...lacking, ...also])]) this.#add(session);
  }

  #read(path: string): SessionInfo | undefined {
    const json = readText(path);
    const session = sessionInfo.safeParse(json === null ? undefined : parseJson(json)).data;
    if (session === undefined) {
      const why = json === null ? 'unreadable' : 'not a session';
      this.unparsed.push({ id: basename(path, '.json'), why });
      return undefined;
    }
    const latest = latestBelievable(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const [created, updated] = [session.time_created, session.time_updated].map((ms) => Math.min(ms, latest));
    return { ...session, time_created: created ?? latest, time_updated: updated ?? latest };
  }

  #isNewer({ id, time_updated }: SessionInfo): boolean {
    return this.copiesOf(id).every(({ change }) => change.changedMs < time_updated);
  }

  /** The files of a session's messages, or of a message's parts. */
  #files(kind: 'message' | 'part', owner: string): { id: string; path: string }[] {
    return jsonFiles(join(this.root, kind, owner)).map((path) => ({ id: basename(path, '.json'), path }));
  }

  /** Whether the databases lack a message, all parts of one, or the content of a row that is damaged or unfinished. */
  #lacksMessages(sessionId: string): boolean {
    const copies = this.copiesOf(sessionId);
    const known = new Set(
      copies.flatMap(({ history }) => history.messageList(sessionId)).map(({ id }) => id),
    );
    const incomplete = copies.flatMap(({ history }) => history.incompleteMessages?.(sessionId) ?? []);
    return (
      this.#files('message', sessionId).some(({ id }) => !known.has(id)) ||
      incomplete.some((id) => this.#lacksPart(id, copies) || this.#isWorse(sessionId, id, copies))
    );
  }

  #lacksParts(sessionId: string): boolean {
    const copies = this.copiesOf(sessionId);
    return this.#files('message', sessionId).some(({ id }) => this.#lacksPart(id, copies));
  }

  #lacksPart(messageId: string, copies: readonly Copy[]): boolean {
    const known = new Set(copies.flatMap(({ history }) => history.partIds(messageId)));
    return this.#files('part', messageId).some(({ id }) => !known.has(id));
  }

  /** Whether the databases have no readable copy of a message or part whose file is readable. */
  #isWorse(sessionId: string, messageId: string, copies: readonly Copy[]): boolean {
    const isWorse = (rows: readonly (DataRow | undefined)[], file: string, test: typeof isWholePart) =>
      !rows.some((row) => test(row?.data)) && test(readText(file));
    const messages = copies.map(({ history }) => history.message(messageId, sessionId));
    const file = join(this.root, 'message', sessionId, `${messageId}.json`);
    return (
      isWorse(messages, file, (data) => roleOf(data) !== undefined) ||
      this.#files('part', messageId).some(({ id, path }) => {
        const rows = copies.map(({ history }) => history.part(id, messageId));
        return isWorse(rows, path, isWholePart);
      })
    );
  }

  #add(session: SessionInfo): void {
    const { id, parent_id, slug, directory, title, version, revert, time_created, time_updated } = session;
    try {
      this.stamps.set(id, this.#messages(id, time_created));
    } catch (error) {
      this.unparsed.push({ id, why: messageOf(error) });
      return;
    }
    const texts = [parent_id, slug, directory, title, version].map((each) => each ?? null);
    this.#addSession.run(id, ...texts, revert, time_created, time_updated);
  }

  /** Indexes a session's messages and parts. @returns a hash of its files' sizes and times */
  #messages(sessionId: string, createdMs: number): string {
    const stamp = createHash('sha256');
    let previous = createdMs;
    for (const { id, path } of this.#files('message', sessionId)) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      stamp.update(`${id} ${stat.size} ${stat.mtimeMs}\n`);
      const json = smallJson(path, stat);
      const { data: message } = messageFile.safeParse(json);
      // Transcribing the session reports both: malformed JSON, and a null time.
      const said = message?.time.created ?? (json === undefined ? createdMs : null);
      const latest = latestBelievable(stat.mtimeMs);
      const created = said !== null && said > latest ? previous : said;
      previous = created ?? previous;
      const completed = message?.time.completed ?? created;
      this.#addMessage.run(id, sessionId, created, completed && Math.min(completed, latest), path, stat.size);
      for (const { id: partId, path: part } of this.#files('part', id)) {
        const partStat = statSync(part, { throwIfNoEntry: false });
        if (partStat === undefined) continue;
        stamp.update(`${partId}.json ${partStat.size} ${partStat.mtimeMs}\n`);
        // Parts of a completed message ended before it; the times of other parts are read from their files.
        const changed = message?.time.completed === undefined ? partTime(part, partStat) : undefined;
        const known = Math.min(changed ?? 0, latestBelievable(partStat.mtimeMs));
        this.#addPart.run(partId, id, sessionId, 0, known, part, partStat.size);
      }
    }
    return stamp.digest('hex');
  }
}

/** Also true if it cannot be said: indexing the session then names the folder that cannot be read. */
function isSo(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return true;
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

/** The target of a link; the link itself if it has none. */
function followed(folder: string, entry: Dirent): Dirent | Stats {
  const path = entry.isSymbolicLink() ? realPathOf(join(folder, entry.name)) : undefined;
  return (path && statSync(path, { throwIfNoEntry: false })) || entry;
}

/** Paths of the `.json` files in a folder, sorted by name. */
function jsonFiles(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.name.endsWith('.json') && followed(folder, entry).isFile())
    .map((entry) => join(folder, entry.name))
    .sort();
}

/** Null when the file cannot be read; it is then reported as a malformed row. */
function readText(path: string): string | null {
  try {
    const text = regularText(path);
    return text === undefined ? null : withoutPadding(text);
  } catch {
    return null;
  }
}
