import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { isOfKind, KEY_KIND } from '../../src/core/source-key.js';
import { joinedDrawers } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase, START_MS } from '../support/opencode-database.js';
import { hasShared, SHARED, TestEnv } from '../support/test-env.js';
import { thorough } from '../support/thorough.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/opencode/', import.meta.url));
const SMALL = join(FIXTURES, 'opencode-1.18.33.db');
const OLDER = join(FIXTURES, 'opencode-1.2.27.db');
const BIG = join(SHARED, 'fixtures/opencode/opencode-1.18.33.db');

const PROGRAM = fileURLToPath(new URL('../../bin/mempalace-session', import.meta.url));
const SOMEBODY = 65_534;

/** root can read everything, so unreadable folders are tested as another user, who must be able to run the program. */
function someoneElseMayRunIt(): boolean {
  if (process.geteuid?.() !== 0) return true;
  process.seteuid?.(SOMEBODY);
  try {
    accessSync(PROGRAM, constants.R_OK);
    accessSync(SMALL, constants.R_OK);
    return true;
  } catch {
    return false;
  } finally {
    process.seteuid?.(0);
  }
}

function historyOf(env: TestEnv, options: { wal?: boolean } = {}): OpencodeDatabase {
  const folder = join(env.home, '.local/share/opencode');
  mkdirSync(folder, { recursive: true });
  return new OpencodeDatabase(join(folder, 'opencode.db'), options);
}

/** Text of every part that a transcript must contain, by session, read by SQL alone. */
function textParts(file: string): Map<string, string[]> {
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare<
      [],
      {
        session: string;
        text: string;
        created: number;
        message: string;
        revert: string | null;
        started: number;
      }
    >(
      `SELECT p.session_id AS session, json_extract(p.data, '$.text') AS text, m.time_created AS created,
         m.id AS message, s.revert, s.time_created AS started
       FROM part p JOIN message m ON m.id = p.message_id JOIN session s ON s.id = p.session_id
       WHERE json_extract(p.data, '$.type') IN ('text', 'reasoning')
         AND coalesce(json_extract(p.data, '$.synthetic'), 0) = 0 AND coalesce(json_extract(p.data, '$.ignored'), 0) = 0
         AND trim(json_extract(p.data, '$.text'), char(9, 10, 13, 32)) <> ''`,
    )
    .all();
  const undoneFrom = new Map<string, number>();
  for (const { session, revert } of rows) {
    if (revert === null) continue;
    const first = database
      .prepare<[string], { at: number }>('SELECT time_created AS at FROM message WHERE id = ?')
      .get(JSON.parse(revert).messageID);
    undoneFrom.set(session, first?.at ?? Number.POSITIVE_INFINITY);
  }
  database.close();
  const texts = new Map<string, string[]>();
  for (const { session, text, created, started } of rows) {
    const undone = created >= (undoneFrom.get(session) ?? Number.POSITIVE_INFINITY);
    // The part that a fork copied is in its original.
    if (undone || created < started) continue;
    texts.set(session, [...(texts.get(session) ?? []), unquoted(text)]);
  }
  return texts;
}

/** `opencode run "…"` stores the quotes around a prompt. */
function unquoted(text: string): string {
  const inner = /^"(?<inner>(?:[^"\\]|\\[\s\S])*)"$/.exec(text.trim())?.groups?.inner;
  return inner === undefined ? text : inner.replaceAll('\\"', '"');
}

async function filesEverything(database: string, args: string[]): Promise<void> {
  const env = new TestEnv();
  const full = ['--db', database, ...args];
  const first = await env.json('mempalace-session', full);
  expect(first.new).toBeGreaterThan(0);
  expect(first.problems).toEqual([]);
  const again = await env.json('mempalace-session', full);
  expect(again).toMatchObject({
    new: 0,
    changed: 0,
    unchanged: first.new,
    drawers_added: 0,
    drawers_total: first.drawers_total,
  });
  rmSync(env.cache, { recursive: true });
  expect(await env.json('mempalace-session', full)).toMatchObject({
    drawers_added: 0,
    embedded: 0,
    drawers_total: first.drawers_total,
  });
  const drawers = joinedDrawers(env.palace);
  const missing: string[] = [];
  for (const [session, texts] of textParts(database)) {
    const joined = drawers.get(`opencode:${session}`);
    if (joined === undefined) continue;
    for (const text of texts)
      if (!joined.includes(text.trim())) missing.push(`${session}: ${text.slice(0, 80)}`);
  }
  expect(missing).toEqual([]);
  const sessions = [...drawers.keys()].filter((key) => !isOfKind(key, KEY_KIND.checkpoint));
  expect(sessions.length).toBe(first.new);
}

describe('the real histories', () => {
  it('of opencode 1.18.33 are filed whole, once', () => filesEverything(SMALL, ['--min-messages', '1']));
  it('of opencode 1.2.27 are filed whole, once', () => filesEverything(OLDER, ['--min-messages', '1']));
  it.skipIf(!hasShared || !thorough)(
    'of opencode 1.18.33, the big one in ../shared, every session (MEMPALACE_TEST_FAULTS=all)',
    () => filesEverything(BIG, ['--min-messages', '1']),
  );
  it.skipIf(!hasShared)('of opencode 1.18.33, the big one in ../shared, by default', () =>
    filesEverything(BIG, []),
  );
  it.skipIf(!hasShared)('with their last messages in the WAL, in a read-only folder', async ({ env }) => {
    const folder = join(env.home, 'wal');
    cpSync(join(SHARED, 'fixtures/opencode/wal'), folder, { recursive: true });
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o600);
    chmodSync(folder, 0o700);
    const all = await env.json('mempalace-session', [
      '--db',
      join(folder, 'opencode.db'),
      '--min-messages',
      '1',
    ]);
    expect(all.problems).toEqual([]);
    const main = join(env.home, 'without');
    mkdirSync(main);
    cpSync(join(folder, 'opencode.db'), join(main, 'opencode.db'));
    const other = new TestEnv();
    const less = await other.json('mempalace-session', ['--db', main, '--min-messages', '1']);
    expect(Number(all.drawers_total)).toBeGreaterThan(Number(less.drawers_total));
  });
});

describe('incremental runs', () => {
  it('a grown session embeds only its new exchange', async ({ env }) => {
    const history = historyOf(env, { wal: true });
    const id = history.addSession({
      messages: [
        ...exchange('How is the cart stored?', 'In a cookie, signed.'),
        ...exchange('For how long?', 'Thirty days.'),
      ],
    });
    expect(await env.json('mempalace-session', [])).toMatchObject({ new: 1 });
    history.addMessage(id, { at: START_MS + 60_000, role: 'user', parts: ['And on logout?'] });
    history.addMessage(id, { at: START_MS + 61_000, role: 'assistant', parts: ['The cookie is dropped.'] });
    expect(await env.json('mempalace-session', ['--dry-run'])).toMatchObject({
      changed: 1,
      sessions: [{ id, status: 'grown' }],
    });
    expect(await env.json('mempalace-session', [])).toMatchObject({
      changed: 1,
      drawers_added: 1,
      embedded: 1,
    });
    history.close();
  });

  it('--since without a value starts from the last complete run of the same kind', async ({ env }) => {
    const history = historyOf(env);
    const old = history.addSession({ title: 'old', messages: exchange('an old question', 'an old answer') });
    const args = ['--min-messages', '1'];
    expect(await env.json('mempalace-session', [...args, '--since'])).toMatchObject({ new: 1 });
    await env.json('mempalace-session', [...args, '--session', old]);
    const later = Date.now() + 1_000;
    history.addSession({
      title: 'new',
      created: later,
      messages: exchange('a new question', 'a new answer'),
    });
    const dry = await env.json('mempalace-session', [...args, '--since', '--dry-run']);
    expect(dry).toMatchObject({ new: 1, unchanged: 0 });
    expect(
      await env.json('mempalace-session', ['--min-messages', '2', '--since', '--dry-run']),
    ).toMatchObject({ unchanged: 1, new: 1 });
    expect(await env.json('mempalace-session', [...args, '--since'])).toMatchObject({ new: 1, unchanged: 0 });
    history.close();
  });

  it('stages first and files later, from the staging folder alone', async ({ env }) => {
    historyOf(env).addSession({ messages: exchange('a question', 'an answer') });
    const args = ['--min-messages', '1'];
    expect(await env.json('mempalace-session', [...args, '--stage-only'])).toMatchObject({ staged: 1 });
    expect(existsSync(env.palace)).toBe(false);
    const staged = join(env.cache, 'mempalace-session/wing_conversations');
    for (const name of readdirSync(staged))
      expect(statSync(join(staged, name)).mode & 0o777, name).toBe(0o600);
    expect(await env.json('mempalace', ['mine', staged])).toMatchObject({ new: 1 });
    expect(await env.json('mempalace-session', args)).toMatchObject({
      new: 0,
      unchanged: 1,
      drawers_added: 0,
    });
    expect(await env.json('mempalace', ['mine', join(env.cache, 'mempalace-session')])).toMatchObject({
      unchanged: 1,
      drawers_added: 0,
    });
  });
});

describe('forks', () => {
  const question = exchange(
    'Which queue do we use?',
    'Redis streams, since the workers need acknowledgements.',
  );

  it('leave their copied prefix to the original, in either order', async ({ env }) => {
    const history = historyOf(env);
    const original = history.addSession({ title: 'Queues', messages: question });
    const fork = history.fork(original, {
      title: 'Queues (fork #1)',
      created: START_MS + 3_600_000,
      messages: exchange('And for mail?', 'A plain table.'),
    });
    const pure = history.fork(original, { title: 'Queues (fork #2)', created: START_MS + 7_200_000 });
    const args = ['--min-messages', '1'];
    await env.json('mempalace-session', ['--session', fork, '--session', pure]);
    expect(joinedDrawers(env.palace).get(`opencode:${fork}`)).toContain('Redis streams');
    await env.json('mempalace-session', args);
    const last = await env.json('mempalace-session', args);
    expect(last.problems).toEqual([]);
    const joined = joinedDrawers(env.palace);
    expect(joined.get(`opencode:${original}`)).toContain('Redis streams');
    expect(joined.get(`opencode:${fork}`)).not.toContain('Redis streams');
    expect(joined.get(`opencode:${fork}`)).toContain('A plain table');
    expect(joined.has(`opencode:${pure}`)).toBe(false);
    const straight = new TestEnv();
    await straight.json('mempalace-session', ['--db', history.path, ...args]);
    expect([...joinedDrawers(straight.palace)]).toEqual([...joined]);
    history.close();
  });
});

describe('problems', () => {
  it('no database: one sentence names every searched path', async ({ env }) => {
    const outcome = await env.run('mempalace-session', []);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toMatch(/^error: no opencode database found in .*opencode\.db.*storage/);
    expect(outcome.stdout).toBe('');
    expect(readdirSync(env.home)).toEqual([]);
    const json = await env.run('mempalace-session', ['--json']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'not-found', exit_code: 1 } });
  });

  it.each([
    ['truncated', (file: string) => writeFileSync(file, Buffer.from('SQLite format 3\0garbage'.repeat(40)))],
    ['not a database', (file: string) => writeFileSync(file, 'hello '.repeat(500))],
    ['without the tables', (file: string) => new Database(file).exec('CREATE TABLE x (y)').close()],
  ])('a database that is %s gets an error and a hint', async (_, make) => {
    const env = new TestEnv();
    const file = join(env.home, 'other.db');
    make(file);
    const outcome = await env.run('mempalace-session', ['--db', file]);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toMatch(/^error: .*other\.db.*\n {2}hint: /);
  });

  it.skipIf(!someoneElseMayRunIt())('an unreadable folder gets an error and a hint, too', async ({ env }) => {
    historyOf(env).close();
    for (const folder of [join(env.home, '..'), env.home]) chmodSync(folder, 0o755);
    const folder = join(env.home, '.local/share/opencode');
    chmodSync(folder, 0o000);
    const uid = process.getuid?.() === 0 ? SOMEBODY : undefined;
    const options = { env: env.env, extendEnv: false, reject: false, uid } as const;
    for (const db of [[], ['--db', folder], ['--db', join(folder, 'opencode.db')]]) {
      const { exitCode, stderr } = await execa(process.execPath, [PROGRAM, '--dry-run', ...db], options);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^error: .*opencode\.db cannot be read: permission denied\n {2}hint: /);
    }
  });

  it('titles in messages and records are sanitised, and redactions are reported once', async ({ env }) => {
    const history = historyOf(env);
    const secret = `${'AKIA'}${'Z7Q2M4XNP3VB6WKD'}`;
    const damaged = { parts: [{ raw: '{' }] };
    history.addSession({ title: `Key ${secret}`, messages: [...exchange('question', 'answer'), damaged] });
    history.addSession({
      messages: [...exchange('a question', 'an answer'), ...exchange('another', 'and another answer')],
    });
    history.close();
    const outcome = await env.json('mempalace-session', [], 3);
    expect(outcome).toMatchObject({ new: 1, skipped: 1, skipped_by_reason: { 'unreadable rows': 1 } });
    expect(JSON.stringify(outcome)).not.toContain(secret);
    const palace = new Database(join(env.palace, 'palace.sqlite3'), { readonly: true });
    const recorded = palace.prepare('SELECT skipped FROM runs').pluck().all().join();
    palace.close();
    expect(recorded).toContain('unreadable rows');
    expect(recorded).not.toContain(secret);
  });

  it('a second run waits, then exits with 11 and the name of the first', async ({ env }) => {
    const lock = join(env.palace, 'run.lock');
    mkdirSync(env.palace, { recursive: true });
    const holder = new Database(lock);
    holder.exec('BEGIN EXCLUSIVE');
    writeFileSync(
      `${lock}.holder`,
      JSON.stringify({ pid: 4711, command: 'mempalace-docs', since: '2026-01-01T00:00:00Z' }),
    );
    historyOf(env).addSession({ messages: exchange('a question', 'an answer') });
    const outcome = await env.run('mempalace-session', ['--wait', '200ms', '--min-messages', '1']);
    expect(outcome.exitCode).toBe(11);
    expect(outcome.stderr).toContain('mempalace-docs (process 4711');
    const waiting = env.start('mempalace-session', ['--wait', '30s', '--min-messages', '1', '--json']);
    await sleep(1_500);
    holder.close();
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ new: 1 });
  });

  it('wrong usage exits with 2', async ({ env }) => {
    for (const args of [
      ['--min-messages', 'x'],
      ['--limit', '0'],
      ['--since', 'gibberish'],
      ['--wing', '../x'],
      ['--wait', 'y'],
      ['--dry-run', '--stage-only'],
      ['extra'],
    ]) {
      const outcome = await env.run('mempalace-session', ['--db', SMALL, ...args]);
      expect(outcome.exitCode, args.join(' ')).toBe(2);
      expect(outcome.stderr, args.join(' ')).toMatch(/^error: /);
      expect(existsSync(env.palace), `a run was recorded: ${args.join(' ')}`).toBe(false);
    }
  });
});

describe('--since after the last run', () => {
  it('files unfiled sessions of another database, an older one, or a restored one', async ({ env }) => {
    const folder = join(env.home, '.local/share/opencode');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'opencode.db');
    const talk = (name: string) => [...exchange(`What of ${name}?`, 'A.'), ...exchange('And then?', 'B.')];
    const first = new OpencodeDatabase(file);
    first.addSession({ id: 'ses_0000000001test', title: 'Kept', messages: talk('bees') });
    first.addSession({ id: 'ses_0000000002test', title: 'Short', messages: exchange('Hello', 'Hello!') });
    first.close();
    await env.json('mempalace-session', []);
    expect(await env.json('mempalace-session', ['--since'])).toMatchObject({ new: 0, unchanged: 0 });
    rmSync(file);
    // A database of another machine: each of its sessions is older than the last run here.
    const other = new OpencodeDatabase(file);
    other.addSession({ id: 'ses_0000000001test', title: 'Kept', messages: talk('bees') });
    other.addSession({ id: 'ses_0000000004test', title: 'Elsewhere', messages: talk('honey') });
    other.addSession({ id: 'ses_0000000005test', title: 'Short too', messages: exchange('Hi', 'Hi!') });
    other.close();
    const outcome = await env.run('mempalace-session', ['--since']);
    expect(outcome.stdout).toContain('1 new');
    expect(outcome.stderr).toMatch(/^--since: 1 older session was never filed/m);
    expect(await env.json('mempalace-session', ['--since'])).toMatchObject({ new: 0, changed: 0 });
    // A given time is used as it is.
    expect(await env.json('mempalace-session', ['--since', '3d', '--dry-run'])).toMatchObject({ new: 0 });
  });
});
