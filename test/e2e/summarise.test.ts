import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { enqueue } from '../../src/hooks/queue.js';
import { type ChatServer, chatServer, says, sends } from '../support/chat-server.js';
import { schemas } from '../support/json-schemas.js';
import { turn } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

const SECRET = 'Xk29fmQ2vLz8Wq1';
const KEY = 'key-0123456789abcdef0123456789abcdef';

function session(env: TestEnv, id: string, words: string): string {
  const of = { sessionId: id };
  const text = turn('user', `Round the ${words}.`, of) + turn('assistant', `The ${words} is rounded up.`, of);
  env.project('talks', { [`${id}.jsonl`]: text });
  return join(env.home, 'talks', `${id}.jsonl`);
}

const mine = (env: TestEnv) => env.json('mempalace', ['mine', join(env.home, 'talks'), '--mode', 'convos']);

/** Two filed sessions, and a model that is set. */
async function machine(settings: Record<string, string> = {}): Promise<{ env: TestEnv; chat: ChatServer }> {
  const [env, chat] = [new TestEnv(), await chatServer()];
  Object.assign(env.env, { MEMPALACE_SUMMARY_URL: chat.url, MEMPALACE_SUMMARY_MODEL: 'small', ...settings });
  session(env, 'talk-1', 'cart');
  session(env, 'talk-2', 'tax');
  await mine(env);
  return { env, chat };
}

const summarise = async (env: TestEnv, args: string[] = [], exitCode = 0) =>
  schemas.summarised.parse(await env.json('mempalace', ['summarise', ...args], exitCode));
const find = async (env: TestEnv, question: string, ...args: string[]) => {
  const { hits } = schemas.search.parse(await env.json('mempalace', ['search', question, ...args]));
  return hits.map(({ source_file: file, title }) => ({ file, title }));
};
const listed = async (env: TestEnv) => {
  const list = ['list', 'sources', '--type', 'summary'];
  return schemas.listSources.parse(await env.json('mempalace', list)).sources;
};

describe('mempalace summarise', () => {
  it('asks nobody before a model is set', async () => {
    const { env, chat } = await machine({ MEMPALACE_SUMMARY_URL: '' });
    const { exitCode, stderr } = await env.run('mempalace', ['summarise']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/no model is set for summaries\n.*summary\.url and summary\.model/s),
    ]);
    expect(chat.requests).toEqual([]);
    expect((await env.run('mempalace', ['status'])).stdout).not.toContain('summaries');
  });

  it('shows what it would send, and sends nothing', async () => {
    const { env, chat } = await machine();
    const preview = schemas.summarisePreview.parse(await env.json('mempalace', ['summarise', '--dry-run']));
    expect(preview.sessions.map(({ session: key }) => key).sort()).toEqual([
      'claude-code:talk-1',
      'claude-code:talk-2',
    ]);
    expect(preview).toMatchObject({ left: 0, spent_today: 0, daily_budget: 100_000 });
    expect((await env.run('mempalace', ['summarise', '--dry-run'])).stdout).toMatch(
      /would summarise 2 sessions, at most about/,
    );
    expect(chat.requests).toEqual([]);
  });

  it('files a summary of each session once, found only by its type, and marked', async () => {
    const { env, chat } = await machine();
    const done = await summarise(env);
    expect([done.summaries.length, done.problems, done.left, done.spent_today]).toEqual([2, [], 0, 200]);
    expect((await summarise(env)).summaries).toEqual([]);
    expect(chat.requests.length).toBe(2);
    expect(chat.requests.map(({ body }) => body.messages.at(-1)?.content).join('\n')).toContain(
      'Round the cart.',
    );
    expect((await find(env, 'cart rounded')).every(({ file }) => !file.startsWith('summary/'))).toBe(true);
    const found = await find(env, 'cart rounded', '--type', 'summary');
    expect(found.map(({ file }) => file).sort()).toEqual([
      'summary/claude-code/talk-1/summary.md',
      'summary/claude-code/talk-2/summary.md',
    ]);
    expect(found[0]?.title).toMatch(/^summary by small: /);
    const { stdout } = await env.run('mempalace', ['show', 'summary/claude-code/talk-1/summary.md']);
    expect(stdout).toMatch(/Made by small, \d{4}-\d\d-\d\d \d\d:\d\d UTC, of claude-code:talk-1\./);
    expect((await env.run('mempalace', ['status'])).stdout).toContain(
      'summaries by small: 200 of 100000 tokens used today',
    );
    const status = schemas.status.parse(await env.json('mempalace', ['status']));
    expect(status.summaries).toEqual({ model: 'small', spent_today: 200, daily_budget: 100_000 });
    const pinned = await env.run('mempalace', ['set', 'summary/claude-code/talk-1/summary.md', '--pin']);
    expect([pinned.exitCode, pinned.stderr]).toEqual([2, expect.stringContaining('can neither be pinned')]);
    expect((await env.run('mempalace', ['verify'])).exitCode).toBe(0);
  });

  it('replaces the summary of a session that has grown', async () => {
    const { env, chat } = await machine();
    await summarise(env, ['--session', 'talk-1']);
    expect((await listed(env)).length).toBe(1);
    const file = join(env.home, 'talks', 'talk-1.jsonl');
    env.edit(file, readFileSync(file, 'utf8') + turn('user', 'Now the discount.', { sessionId: 'talk-1' }));
    await mine(env);
    chat.answer = says('The discount was added.');
    const [made] = (await summarise(env, ['--session', 'talk-1'])).summaries;
    const { stdout } = await env.run('mempalace', ['show', made?.summary_id ?? '']);
    expect([stdout.includes('The discount was added.'), stdout.includes('The cart was')]).toEqual([
      true,
      false,
    ]);
    expect((await listed(env)).length).toBe(1);
  });

  it('sends and files no secret, not even of a session that was filed with its secrets', async () => {
    const { env, chat } = await machine();
    env.project('talks', {
      'talk-3.jsonl': turn('user', `Use password=${SECRET} there.`, { sessionId: 'talk-3' }),
    });
    await env.json('mempalace', ['mine', join(env.home, 'talks'), '--mode', 'convos', '--no-redact']);
    chat.answer = says(`They used password=${SECRET} there.`);
    const { summaries } = await summarise(env, ['--session', 'talk-3']);
    expect(JSON.stringify(chat.requests)).toContain('[REDACTED:');
    expect(JSON.stringify(chat.requests)).not.toContain(SECRET);
    expect((await env.run('mempalace', ['show', summaries[0]?.summary_id ?? ''])).stdout).not.toContain(
      SECRET,
    );
  });

  it('sends the key of the file, and prints and records it nowhere', async () => {
    const { env, chat } = await machine();
    const file = join(env.home, 'key');
    writeFileSync(file, `${KEY}\n`, { mode: 0o644 });
    env.env.MEMPALACE_SUMMARY_TOKEN_FILE = file;
    expect(await env.run('mempalace', ['summarise'])).toMatchObject({ exitCode: 2 });
    writeFileSync(join(env.home, 'key2'), KEY, { mode: 0o600 });
    env.env.MEMPALACE_SUMMARY_TOKEN_FILE = join(env.home, 'key2');
    chat.next = [sends(401, JSON.stringify({ error: { message: 'bad key' } }))];
    const log = join(env.home, 'log');
    const refused = await env.run('mempalace', ['summarise', '--log-file', log, '--log-level', 'debug']);
    const done = await env.run('mempalace', ['summarise', '--verbose', '--log-file', log]);
    expect([refused.exitCode, done.exitCode, chat.requests[0]?.headers.authorization]).toEqual([
      1,
      0,
      `Bearer ${KEY}`,
    ]);
    expect(JSON.stringify([refused, done]) + readFileSync(log, 'utf8')).not.toContain(KEY);
  });

  it('stops at the budget, and says so', async () => {
    const { env, chat } = await machine({ MEMPALACE_SUMMARY_DAILY_BUDGET: '1200' });
    chat.answer = says('Rounded.', { total_tokens: 900 });
    const done = await summarise(env, [], 3);
    expect([done.summaries.length, done.left, done.spent_today, done.stopped]).toEqual([
      1,
      1,
      900,
      "today's budget is used up: 900 of 1200 tokens",
    ]);
    const { exitCode, stderr } = await env.run('mempalace', ['summarise']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/budget is used up.*\n.*midnight UTC/s)]);
    expect(chat.requests.length).toBe(1);
  });

  it('keeps what it filed when the endpoint fails, and tries again the next time', async () => {
    const { env, chat } = await machine();
    chat.next = [says('Rounded.'), sends(200, '<html>')];
    const done = await summarise(env, [], 3);
    expect([done.summaries.length, done.problems.length, done.left]).toEqual([1, 1, 0]);
    expect(done.problems[0]?.reason).toMatch(/does not answer as a chat endpoint does$/);
    expect((await listed(env)).length).toBe(1);
    chat.next = [says('')];
    expect((await summarise(env, [], 3)).summaries).toEqual([]);
    expect((await summarise(env)).summaries.length).toBe(1);
  });

  it('gives up after three empty answers in sequence', async () => {
    const { env, chat } = await machine();
    for (const id of ['talk-3', 'talk-4', 'talk-5']) session(env, id, `item of ${id}`);
    await mine(env);
    chat.answer = says('', { total_tokens: 10 });
    expect((await env.run('mempalace', ['summarise'])).exitCode).toBe(1);
    expect(chat.requests.length).toBe(3);
    expect(await env.json('mempalace', ['summarise', '--dry-run'])).toMatchObject({
      spent_today: 30,
      left: 0,
    });
  });

  it('runs once at a time, so that the budget holds', async () => {
    const { env, chat } = await machine();
    const held: ServerResponse[] = [];
    chat.next = [(response) => void held.push(response)];
    const first = summarise(env, ['--limit', '1']);
    await vi.waitFor(() => expect(held.length).toBe(1), 20_000);
    const second = await env.run('mempalace', ['summarise']);
    expect([second.exitCode, second.stderr]).toEqual([11, expect.stringContaining('mempalace summarise')]);
    for (const response of held) says('Rounded.')(response);
    expect((await first).summaries.length).toBe(1);
  });

  it('makes no palace where none is', async () => {
    const env = new TestEnv();
    Object.assign(env.env, { MEMPALACE_SUMMARY_URL: 'http://127.0.0.1:1', MEMPALACE_SUMMARY_MODEL: 'small' });
    expect((await env.run('mempalace', ['summarise'])).exitCode).toBe(1);
    expect(existsSync(env.palace)).toBe(false);
  });

  it('names an endpoint that does not run', async () => {
    const { env } = await machine({ MEMPALACE_SUMMARY_URL: 'http://127.0.0.1:1/v1' });
    const { exitCode, stderr } = await env.run('mempalace', ['summarise']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/127\.0\.0\.1:1.* does not answer: .*\n.*start the server/s),
    ]);
    expect(await listed(env)).toEqual([]);
  });

  it('is forgotten with its session, and not made again after it was forgotten alone', async () => {
    const { env, chat } = await machine();
    chat.answer = says('The gazebo was rounded.');
    await summarise(env);
    await env.json('mempalace', ['forget', '--session', 'talk-1', '--yes']);
    await env.json('mempalace', ['forget', '--source', 'summary:claude-code:talk-2/summary.md', '--yes']);
    expect(await listed(env)).toEqual([]);
    expect((await summarise(env)).summaries).toEqual([]);
    expect(readFileSync(join(env.palace, 'palace.sqlite3')).includes('gazebo')).toBe(false);
  });

  it('is exported and imported, with its type', async () => {
    const { env } = await machine();
    await summarise(env);
    const file = join(env.home, 'all.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    const other = new TestEnv();
    await other.json('mempalace', ['import', file]);
    expect((await listed(other)).map(({ source_file: name }) => name).sort()).toEqual(
      (await listed(env)).map(({ source_file: name }) => name).sort(),
    );
    Object.assign(other.env, {
      MEMPALACE_SUMMARY_URL: 'http://127.0.0.1:1',
      MEMPALACE_SUMMARY_MODEL: 'small',
    });
    expect((await other.json('mempalace', ['summarise', '--dry-run'])).sessions).toEqual([]);
  });
});

describe('sessions that end', () => {
  const ended = async (settings: Record<string, string>) => {
    const { env, chat } = await machine(settings);
    const transcript = session(env, 'talk-3', 'discount');
    appendFileSync(transcript, turn('user', 'Thanks.', { sessionId: 'talk-3' }));
    enqueue(env.palace, {
      harness: 'claude-code',
      sessionId: 'talk-3',
      transcript,
      offset: 0,
      ended: true,
      rests: false,
    });
    return { env, chat };
  };

  it('get a summary in the background if it is switched on, and only they', async () => {
    const { env, chat } = await ended({ MEMPALACE_SUMMARY_AUTO: 'on' });
    const flushed = schemas.hookFlush.parse(await env.json('mempalace', ['hook', 'flush']));
    expect(flushed).toMatchObject({ filed: 1, summaries: { filed: 1, left: 0, problem: null } });
    expect((await listed(env)).map(({ source_file: name }) => name)).toEqual([
      'summary/claude-code/talk-3/summary.md',
    ]);
    expect(chat.requests.length).toBe(1);
  });

  it('get none otherwise', async () => {
    const { env, chat } = await ended({});
    expect(schemas.hookFlush.parse(await env.json('mempalace', ['hook', 'flush'])).summaries).toBeUndefined();
    expect(chat.requests).toEqual([]);
  });

  it('are filed all the same when the model fails', async () => {
    const { env, chat } = await ended({ MEMPALACE_SUMMARY_AUTO: 'on' });
    chat.answer = sends(500, '{"error":"the words of the session"}');
    const flushed = schemas.hookFlush.parse(await env.json('mempalace', ['hook', 'flush']));
    expect(flushed).toMatchObject({ filed: 1, failed: 0, summaries: { filed: 0, left: 1 } });
    expect(flushed.summaries?.problem).toMatch(/answered 500$/);
  });
});
