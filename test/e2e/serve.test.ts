import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokerFile, withBroker } from '../support/broker.js';
import { connected, warmed } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { connectedTo, type Served, served } from '../support/served.js';
import { TestEnv } from '../support/test-env.js';

const machine = filledMachine();

async function filled(): Promise<TestEnv> {
  return withBroker((await machine()).env);
}

const firstToken = (env: TestEnv): string => readFileSync(join(env.palace, 'serve-token'), 'utf8').trim();

const addToken = async (env: TestEnv, ...args: string[]): Promise<string> =>
  String((await env.json('mempalace', ['serve', 'token', 'add', ...args])).token);

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const asClient = (token: string, more: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...more,
});

describe('mempalace serve', () => {
  it('serves agents of other machines with a token, and those of this machine as before', async () => {
    const env = await filled();
    const { url, printed } = await served(env);
    const remote = await connectedTo(url, firstToken(env));
    const local = await connected(env);
    expect(await remote.client.listTools()).toEqual(await local.client.listTools());
    await warmed(local);
    expect((await remote.call('status')).palace).toBe(env.palace);
    const { results, notes } = await remote.call('search', { query: 'lamps' });
    const own = await local.done('search', { query: 'lamps' });
    expect(results).toEqual(own.results);
    // The folder that the server was started in is not the client's.
    expect(notes).not.toContainEqual(expect.stringContaining('preferring'));
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true, http: url });
    const { stdout } = await env.run('mempalace', ['status']);
    expect(stdout).toContain(`for other machines: ${url}\n`);
    const doctor = async () => (await env.run('mempalace', ['doctor'])).stdout.replace(/\s+/g, ' ');
    expect(await doctor()).toContain(`for other machines: ${url}`);
    // Also where the agents of this machine do without it.
    env.env.MEMPALACE_BROKER = 'off';
    expect(await env.json('mempalace', ['status'])).toMatchObject({ broker: { http: url } });
    expect(await doctor()).toContain(`for other machines: ${url}`);
    expect(printed()).toContain('serve-token');
    expect(printed()).not.toContain(firstToken(env));
  });

  it('reads null and empty lists as absent, as clients in Go and PHP write them', async () => {
    const env = await filled();
    const { request } = await served(env);
    const headers = asClient(firstToken(env));
    const asked = async (changes: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...changes });
      const answer = await request({ headers, body });
      return answer.body.replace(/^[\s\S]*?data: /, '');
    };
    for (const absent of [null, []]) {
      expect(await asked({ method: 'tools/list', params: absent })).toContain('mempalace_search');
      const params = { name: 'mempalace_status', arguments: absent, _meta: absent };
      expect(await asked({ method: 'tools/call', params })).toContain('total_sources');
    }
    const tooLong = await request({ headers, body: `"${'x'.repeat(5 * 1024 * 1024)}"` });
    expect(tooLong.status).toBe(413);
  });

  it('takes the place of a broker that agents have started; they go on', async () => {
    const env = await filled();
    const local = await connected(env);
    await local.done('status');
    const before = brokerFile(env).pid;
    const { pid } = await served(env);
    expect(brokerFile(env).pid).toBe(pid);
    expect(pid).not.toBe(before);
    await local.done('status');
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ pid, clients: 1 });
  });

  it('is there once per palace, ends on a signal, and leaves nothing', async () => {
    const env = await filled();
    const one = await served(env);
    const second = await env.spawn('mempalace', ['serve', '--port', '0']);
    expect(second.exitCode).not.toBe(0);
    expect(second.stderr).toContain(`process ${one.pid} serves this palace on ${one.url}`);
    const { port } = new URL(one.url);
    const elsewhere = await env.spawn('mempalace', [
      'serve',
      '--port',
      port,
      '--palace',
      join(env.home, 'no'),
    ]);
    expect(elsewhere.stderr).toContain('there is no palace to serve');
    expect(await one.stop()).toBe(0);
    expect(existsSync(join(env.palace, 'broker.json'))).toBe(false);
  });

  it('answers the documents of commands below /api/v1, with a token', async () => {
    const env = await filled();
    const { request } = await served(env);
    const path = '/api/v1/list/sources?limit=2';
    const headers = { authorization: `Bearer ${firstToken(env)}` };
    const { status, body } = await request({ method: 'GET', path, headers });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(await env.json('mempalace', ['list', 'sources', '--limit', '2']));
    expect((await request({ method: 'GET', path })).status).toBe(401);
    expect((await request({ method: 'GET', path: '/api/v1/doctor', headers })).status).toBe(404);
  });

  it('records writes under the name of the token', async () => {
    const env = await filled();
    const token = await addToken(env, 'ada');
    const { url } = await served(env);
    const { call } = await connectedTo(url, token);
    await call('add_drawer', { wing: 'notes', room: 'decisions', content: 'Lamps are made of brass.' });
    const log = readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8');
    expect(log).toContain('"agent":"ada"');
    expect(log).not.toContain(token);
  });
});

describe('a request', () => {
  it('without a token, with a wrong one, or with one that is revoked gets 401', async () => {
    const env = await filled();
    const token = await addToken(env, 'ada');
    const { request, url, printed } = await served(env, ['--verbose', '--log-file', join(env.home, 'log')]);
    const send = (headers: Record<string, string>) => request({ headers, body: INITIALIZE });
    expect(await send(asClient(token))).toMatchObject({ status: 200 });
    const wrong = `${token.slice(0, -2)}xx`;
    const refused = [{}, asClient(''), asClient(wrong), asClient(token, { authorization: `Basic ${token}` })];
    for (const headers of refused) {
      const { status, headers: answered, body } = await send(headers);
      expect([status, answered['www-authenticate'], body]).toEqual([
        401,
        'Bearer error="invalid_token"',
        '{"error":"invalid_token"}',
      ]);
    }
    const { client, call } = await connectedTo(url, token);
    await call('status');
    await env.json('mempalace', ['serve', 'token', 'revoke', 'ada']);
    expect(await send(asClient(token))).toMatchObject({ status: 401 });
    await expect(client.listTools()).rejects.toThrow();
    // Neither the log nor the screen contains what was sent.
    const log = readFileSync(join(env.home, 'log'), 'utf8');
    expect(log).toContain('http: refused 1 (now 401, from 127.0.0.1)');
    for (const secret of [token, wrong]) expect(log + printed()).not.toContain(secret);
  });

  it('with a foreign Host or Origin gets 403, even for the health, and no answer allows other origins', async () => {
    const env = await filled();
    const token = await addToken(env, 'ada');
    const { request } = await served(env, ['--allow-host', 'memory.example']);
    const send = (more: Record<string, string>, path = '/mcp') =>
      request({ path, headers: asClient(token, more), body: INITIALIZE });
    for (const path of ['/mcp', '/healthz']) {
      expect(await send({ host: 'evil.example' }, path)).toMatchObject({ status: 403 });
      for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example'])
        expect(await send({ origin }, path), origin).toMatchObject({ status: 403 });
    }
    for (const more of [
      { host: 'memory.example' },
      { origin: 'https://memory.example' },
      { host: 'localhost:1' },
    ] as Record<string, string>[]) {
      const { status, headers } = await send(more);
      expect(status).toBe(200);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const { status, headers } = await request({ method: 'OPTIONS', headers: { origin: 'http://localhost' } });
    expect(status).toBe(405);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('with a body over the limit gets 413, whether it says so or not', async () => {
    const env = await filled();
    const token = await addToken(env, 'ada');
    const { request } = await served(env);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'x',
      params: { text: 'x'.repeat(5_000_000) },
    });
    for (const headers of [
      { 'content-length': String(body.length) },
      { 'transfer-encoding': 'chunked' },
    ] as Record<string, string>[])
      expect(await request({ headers: asClient(token, headers), body })).toMatchObject({ status: 413 });
    // Without a token it is not read at all.
    expect(await request({ headers: { 'content-length': String(body.length) }, body })).toMatchObject({
      status: 401,
    });
  });

  it('to another path, or by another method, does nothing', async () => {
    const env = await filled();
    const token = await addToken(env, 'ada');
    const { request } = await served(env);
    expect(await request({ path: '/', headers: asClient(token) })).toMatchObject({ status: 404 });
    expect(await request({ path: '/', headers: {} })).toMatchObject({ status: 401 });
    for (const method of ['GET', 'DELETE'])
      expect(await request({ method, headers: asClient(token) })).toMatchObject({ status: 405 });
    const health = await request({ path: '/healthz', method: 'GET' });
    expect(health).toMatchObject({ status: 200, body: '{"ok":true}' });
  });
});

describe('a token', () => {
  it('is stored as a hash, in a file of its user', async () => {
    const env = await filled();
    const { stdout, stderr } = await env.run('mempalace', ['serve', 'token', 'add', 'ada']);
    expect(stdout).toMatch(/^mempalace_[\w-]{43}$/);
    expect(stderr).toContain('not shown again');
    const file = join(env.palace, 'serve-tokens.json');
    expect(readFileSync(file, 'utf8')).not.toContain(stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await env.run('mempalace', ['serve', 'token', 'add', 'ada']);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    await addToken(env, 'ci', '--read-only');
    expect((await env.run('mempalace', ['serve', 'token', 'list'])).stdout).toMatch(
      /^ada {2}since [\d-]{10}\nci {2}since [\d-]{10} {2}read-only$/,
    );
    expect((await env.run('mempalace', ['serve', 'token', 'revoke', 'bob'])).exitCode).toBe(1);
    expect((await env.run('mempalace', ['serve', 'token', 'add', '../x'])).exitCode).toBe(2);
    const { url } = await served(env);
    // There are tokens already: none is made.
    expect(existsSync(join(env.palace, 'serve-token'))).toBe(false);
    await connectedTo(url, stdout);
  });

  it('may be read-only, and so may the server: tools that write are absent', async () => {
    const env = await filled();
    const [reader, writer] = [await addToken(env, 'ci', '--read-only'), await addToken(env, 'ada')];
    const names = async (url: string, token: string) =>
      (await (await connectedTo(url, token)).client.listTools()).tools.map(({ name }) => name);
    const one = await served(env);
    expect(await names(one.url, writer)).toContain('mempalace_add_drawer');
    expect(await names(one.url, reader)).not.toContain('mempalace_add_drawer');
    const { call } = await connectedTo(one.url, reader);
    await expect(call('add_drawer', { wing: 'a', room: 'b', content: 'c' })).rejects.toThrow(
      'there is no tool',
    );
    const post = (at: Served, token: string) =>
      at.request({
        path: '/api/v1/task/add',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"text":"Oil the gate."}',
      });
    expect((await post(one, reader)).status).toBe(403);
    const posted = await post(one, writer);
    expect([posted.status, JSON.parse(posted.body)]).toMatchObject([200, { task: { added_by: 'ada' } }]);
    const log = readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8');
    expect(log).toContain('"agent":"ada","client":"rest","tool":"POST /task/add","ok":true');
    await one.stop();
    const two = await served(env, ['--read-only']);
    expect((await post(two, writer)).status).toBe(403);
    expect(await names(two.url, writer)).toEqual(await names(two.url, reader));
  });

  it('is taken from a file of its user, and from no other', async () => {
    const env = await filled();
    const file = join(env.home, 'token');
    const token = 'x'.repeat(40);
    writeFileSync(file, `${token}\n`, { mode: 0o644 });
    const open = await env.spawn('mempalace', ['serve', '--port', '0', '--token-file', file]);
    expect(open.stderr).toContain(`other users may read or write ${file}`);
    chmodSync(file, 0o600);
    const { url } = await served(env, ['--token-file', file]);
    await connectedTo(url, token);
    writeFileSync(file, 'short\n');
    const short = await env.spawn('mempalace', ['serve', '--port', '0', '--token-file', file]);
    expect(short.stderr).toContain('does not contain a token');
  });

  it('does not let anybody in when the list is damaged', async () => {
    const env = await filled();
    const token = await addToken(env, 'ada');
    const { request } = await served(env);
    writeFileSync(join(env.palace, 'serve-tokens.json'), '{"v":1,"tokens":[{}]}');
    const { status, body } = await request({ headers: asClient(token), body: INITIALIZE });
    expect([status, body]).toEqual([500, '']);
  });
});

describe('a topology', () => {
  it('by a forwarded socket: MEMPALACE_BROKER names it', async () => {
    const env = await filled();
    await served(env);
    const elsewhere = new TestEnv();
    const forwarded = join(elsewhere.home, 'mp.sock');
    const { createServer } = await import('node:net');
    // As `ssh -L` does it.
    const proxy = createServer((near) => {
      const far = createConnection(brokerFile(env).socket);
      near.pipe(far).pipe(near);
      far.on('error', () => near.destroy());
      near.on('error', () => far.destroy());
    });
    await new Promise<void>((resolve) => void proxy.listen(forwarded, resolve));
    elsewhere.env.MEMPALACE_BROKER = forwarded;
    elsewhere.project('.mempalace/palace', { 'palace.sqlite3': '' });
    const far = await connected(elsewhere, ['--agent', 'guest']);
    expect((await far.done('status')).palace).toBe(env.palace);
    await far.done('add_drawer', { wing: 'notes', room: 'decisions', content: 'Written through a tunnel.' });
    await far.client.close();
    await new Promise((resolve) => proxy.close(resolve));
  });
});

const ANALYZE = 'systemd-analyze';
const hasSystemd = spawnSync(ANALYZE, ['--version']).status === 0;

it.skipIf(!hasSystemd)('the unit of docs/remote.md is one that systemd reads', () => {
  const text = readFileSync(new URL('../../docs/remote.md', import.meta.url), 'utf8');
  const [, unit = ''] = /```ini\n([\s\S]*?)```/.exec(text) ?? [];
  expect(unit).toContain('ExecStart=');
  const file = join(new TestEnv().home, 'mempalace-serve.service');
  // The program of the unit has to exist.
  writeFileSync(file, unit.replace('%h/.local/bin/mempalace', process.execPath));
  const { status, stderr } = spawnSync(ANALYZE, ['verify', '--user', '--man=no', file], {
    env: { ...process.env, XDG_RUNTIME_DIR: new TestEnv().home },
  });
  expect([status, String(stderr)]).toEqual([0, '']);
});
