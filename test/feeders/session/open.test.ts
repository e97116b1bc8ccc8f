import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { openDatabase } from '../../../src/feeders/session/layouts.js';
import { openSqlite } from '../../../src/feeders/session/open.js';
import { stageSessions } from '../../../src/feeders/session/stage.js';
import { openStorage } from '../../../src/feeders/session/storage-json.js';
import { surveySessions } from '../../../src/feeders/session/survey.js';
import { it } from '../../support/it.js';
import { exchange, OpencodeDatabase } from '../../support/opencode-database.js';
import { Feeder, fixtureCopy, temporaryFolder, textsOf } from './helpers.js';

function failure(path: string): UserError {
  try {
    openDatabase({ path }, 50).histories[0]?.close();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('it opened');
}

/** root can read all files, so root runs this as another user. */
function asSomebody<T>(act: () => T): T {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

it('a database is opened read-only', () => {
  const history = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
  history.close();
  const database = openSqlite(history.path);
  expect(() => database.exec('CREATE TABLE ours (id)')).toThrow('readonly');
  database.close();
});

describe('a database that cannot be read', () => {
  it('is missing', () => {
    expect(failure(join(temporaryFolder(), 'opencode.db'))).toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/^there is no database .*opencode\.db$/),
    });
  });

  it('is empty', () => {
    const path = join(temporaryFolder(), 'opencode.db');
    writeFileSync(path, '');
    expect(failure(path).message).toMatch(/is empty$/);
  });

  it('is a folder', () => {
    expect(failure(temporaryFolder()).message).toMatch(/is a folder$/);
  });

  it('is not a database', () => {
    const path = join(temporaryFolder(), 'opencode.db');
    writeFileSync(path, 'This is no database, however long it may be. '.repeat(100));
    expect(failure(path)).toMatchObject({ message: expect.stringMatching(/is not an SQLite database$/) });
  });

  it("is another program's database", () => {
    const path = join(temporaryFolder(), 'opencode.db');
    const other = new Database(path);
    other.exec('CREATE TABLE bookmarks (url TEXT)');
    other.close();
    expect(failure(path).message).toMatch(/not opencode's$/);
  });

  it('has an unknown schema', () => {
    const path = fixtureCopy('opencode-1.18.33.db');
    const newer = new Database(path);
    newer.exec('ALTER TABLE part RENAME COLUMN data TO content; DROP TABLE message');
    newer.close();
    const { histories, problems } = openDatabase({ path });
    expect(histories).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/no table message, no column part\.data$/)]);
  });

  it('is truncated', () => {
    const path = fixtureCopy('opencode-1.18.33.db');
    truncateSync(path, 100 * 1024);
    expect(failure(path).message).toMatch(/is damaged or cut short$/);
  });

  it('is locked', () => {
    const path = fixtureCopy('opencode-1.18.33.db');
    const holder = new Database(path);
    holder.exec('BEGIN EXCLUSIVE');
    try {
      const { message, hint } = failure(path);
      expect(message).toMatch(/is locked by another program$/);
      expect(hint).toContain('run this again');
    } finally {
      holder.close();
    }
  });

  it('is not readable', () => {
    const path = fixtureCopy('opencode-1.18.33.db');
    chmodSync(path, 0o000);
    const { message, hint } = asSomebody(() => failure(path));
    expect(message).toMatch(/permission denied$/);
    expect(hint).toContain('permissions');
  });

  it('is in WAL mode in a read-only folder, without its -shm file', () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder);
    const path = join(folder, 'opencode.db');
    new OpencodeDatabase(path, { wal: true }).close();
    expect(existsSync(`${path}-shm`)).toBe(false);
    chmodSync(path, 0o644);
    chmodSync(join(folder, '..'), 0o755);
    chmodSync(folder, 0o555);
    const { message, hint } = asSomebody(() => failure(path));
    chmodSync(folder, 0o755);
    expect(message).toMatch(/cannot be opened$/);
    expect(hint).toContain('make the folder writable');
  });
});

describe('older JSON files that cannot be read', () => {
  it('cannot be listed', () => {
    const storage = fixtureCopy('storage-1.1.65');
    chmodSync(join(storage, '..'), 0o755);
    chmodSync(join(storage, 'session'), 0o000);
    const open = () => asSomebody(() => openStorage(storage, () => []));
    expect(open).toThrowError(
      expect.objectContaining({ code: 'unreadable', message: expect.stringContaining('permission denied') }),
    );
    chmodSync(join(storage, 'session'), 0o755);
  });

  it('name the session whose messages cannot be listed', () => {
    const storage = fixtureCopy('storage-1.1.65');
    chmodSync(join(storage, '..'), 0o755);
    const [session = ''] = readdirSync(join(storage, 'message'));
    chmodSync(join(storage, 'message', session), 0o000);
    const { history, unparsed } = asSomebody(() => openStorage(storage, () => []));
    expect(unparsed).toEqual([{ id: session, why: expect.stringContaining('EACCES') }]);
    expect(history.sessions().sessions).toHaveLength(3);
    history.close();
    chmodSync(join(storage, 'message', session), 0o755);
  });
});

describe('a database that others write to', () => {
  it('is read with the rows that are only in its WAL, and is not changed', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    const live = new OpencodeDatabase(path, { wal: true });
    live.addSession({ messages: exchange('In the main file?', 'Yes.') });
    live.database.pragma('wal_checkpoint(TRUNCATE)');
    live.addSession({ title: 'Later', messages: exchange('Only in the WAL?', 'Only there.') });
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    const run = await new Feeder(path).stage();
    expect(textsOf(run.byTitle('Later'))).toEqual(['Only in the WAL?', 'Only there.']);
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
    live.close();
  });

  it('is read with the WAL of a program that has ended', async ({ folder }) => {
    const path = join(folder, 'live.db');
    const live = new OpencodeDatabase(path, { wal: true });
    live.addSession({ messages: exchange('Left behind?', 'Yes.') });
    const left = join(folder, 'opencode.db');
    for (const part of ['', '-wal']) copyFileSync(path + part, left + part);
    live.close();
    const run = await new Feeder(left).stage();
    expect(run.sources.map((source) => textsOf(source))).toEqual([['Left behind?', 'Yes.']]);
  });

  it('is read in one consistent state', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    const live = new OpencodeDatabase(path, { wal: true });
    const id = live.addSession({ messages: exchange('First', 'One.') });
    const feeder = new Feeder(path);
    const survey = await surveySessions(await feeder.options());
    live.addMessage(id, { role: 'user', at: Date.UTC(2026, 5, 1), parts: ['After the survey'] });
    const [batch] = await stageSessions(survey, await feeder.options());
    expect(batch?.sources.map((source) => textsOf(source))).toEqual([['First', 'One.']]);
    const next = await feeder.stage();
    expect(next.sources.map((source) => textsOf(source))).toEqual([['First', 'One.', 'After the survey']]);
    live.close();
  });

  it('is read without access to the tables of tokens or undone messages', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    const live = new OpencodeDatabase(path);
    live.addSession({ messages: exchange('Hello', 'There.') });
    live.database.exec('DROP TABLE account');
    for (const table of ['account', 'control_account', 'credential', 'session_share', 'event']) {
      // Every query of this view fails.
      live.database.exec(`CREATE VIEW ${table} AS SELECT json('{') AS value`);
      expect(() => live.database.prepare(`SELECT * FROM ${table}`).all()).toThrowError(/malformed JSON/);
    }
    live.close();
    expect((await new Feeder(path).stage()).sources).toHaveLength(1);
  });
});
