import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Client } from '../../contrib/pi/client.js';
import { isProcessAlive } from '../../src/platform/process-alive.js';
import { TestEnv } from '../support/test-env.js';

/** A server with the faults that its settings name, which writes its starts and all that it reads to files. */
const SERVER = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const faults = JSON.parse(readFileSync(__dirname + '/faults.json', 'utf8'));
appendFileSync(__dirname + '/starts', process.pid + ' ' + Date.now() + '\\n');
if (faults.stubborn) process.on('SIGTERM', () => {});
if (faults.dead) { console.error('no such Node'); process.exit(1); }
let unread = '';
process.stdin.on('data', (piece) => {
  const lines = (unread + piece).split('\\n');
  unread = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on('end', () => faults.stubborn || process.exit(0));
if (faults.stubborn) setInterval(() => {}, 1000);
const tools = [{ name: 'read', inputSchema: {}, annotations: { readOnlyHint: true } }, { name: 'write', inputSchema: {} }];
const say = (id, more) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...more }) + '\\n');
function take(message) {
  appendFileSync(__dirname + '/read', JSON.stringify(message) + '\\n');
  const { id, method, params } = message;
  if (method === 'initialize' && faults.mute) return;
  if (method === 'initialize') {
    process.stdout.write('not JSON\\n');
    say(900, { method: 'roots/list' });
    say(901, { method: 'ping' });
    return say(id, { result: { instructions: 'about' } });
  }
  if (method === 'tools/list') return say(id, { result: { tools } });
  if (method !== 'tools/call') return;
  const { fault } = params.arguments;
  if (fault === 'hang') return;
  if (fault === 'die') process.kill(process.pid, 'SIGKILL');
  if (fault === 'die once' && readFileSync(__dirname + '/starts', 'utf8').split('\\n').length === 2)
    process.kill(process.pid, 'SIGKILL');
  if (fault === 'error') return say(id, { error: { code: -32602, message: 'no such tool' } });
  say(id, { result: { content: [{ type: 'text', text: 'from ' + process.pid }] } });
}
`;

const SOON = { timeout: 20_000 };

let folder: string;
const clients: Client[] = [];
const lines = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];
const starts = () => lines('starts').map((line) => line.split(' ').map(Number) as [number, number]);
const alive = () => starts().filter(([pid]) => isProcessAlive(pid)).length;

beforeEach(() => {
  folder = new TestEnv().project('server', { 'package.json': '{}' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function client(limits: Partial<ConstructorParameters<typeof Client>[0]> = {}, faults: object = {}): Client {
  new TestEnv(join(folder, '..', '..')).project('server', {
    'server.cjs': SERVER,
    'faults.json': JSON.stringify(faults),
  });
  const server = join(folder, 'server.cjs');
  chmodSync(server, 0o755);
  const all = {
    agent: 'pi',
    server,
    timeoutMs: 5_000,
    initTimeoutMs: 5_000,
    maxRespawns: 2,
    backoffMs: 1,
    ...limits,
  };
  const made = new Client(all, folder, () => {});
  clients.push(made);
  return made;
}

const textOf = async (made: Client, fault = '', tool = 'read', signal?: AbortSignal) =>
  (await made.call(tool, { fault }, signal)).content[0]?.text;

it('starts one server for calls at the same time, and refuses what the server asks', async () => {
  const made = client();
  expect(await made.start()).toMatchObject({
    instructions: 'about',
    tools: [{ name: 'read' }, { name: 'write' }],
  });
  expect(new Set(await Promise.all([textOf(made), textOf(made), textOf(made)])).size).toBe(1);
  expect(starts()).toHaveLength(1);
  await expect(textOf(made, 'error')).rejects.toThrow('no such tool');
  const read = lines('read').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(read[0]).toMatchObject({ method: 'initialize', params: { clientInfo: { name: 'pi-mempalace' } } });
  expect(read).toContainEqual({ jsonrpc: '2.0', id: 900, error: { code: -32601, message: 'not supported' } });
  expect(read).toContainEqual({ jsonrpc: '2.0', id: 901, result: {} });
  await made.close();
  expect(alive()).toBe(0);
});

it('asks again what reads when the server dies in a call, and never what writes', async () => {
  const made = client();
  await made.start();
  expect(await textOf(made, 'die once')).toMatch(/^from/);
  expect(starts()).toHaveLength(2);
  await expect(textOf(made, 'die', 'write')).rejects.toThrow(/SIGKILL.*write may have been done/);
  expect(starts()).toHaveLength(2);
  // Any answer renews the budget of starts.
  for (let time = 0; time < 4; time += 1) {
    await expect(textOf(made, 'die', 'write')).rejects.toThrow('SIGKILL');
    expect(await textOf(made)).toMatch(/^from/);
  }
  // Twice, and no more.
  await expect(textOf(made, 'die')).rejects.toThrow('SIGKILL');
});

it('starts a server that never answers a bounded number of times, with a doubled pause, and tells its last words', async () => {
  const made = client({ backoffMs: 200 }, { dead: true });
  await expect(made.start()).rejects.toThrow(/mempalace-mcp does not run: .*exit code 1.*no such Node/);
  const [first = 0, second = 0, third = 0, ...more] = starts().map(([, at]) => at);
  expect(more).toEqual([]);
  expect(second - first).toBeGreaterThanOrEqual(195);
  expect(third - second).toBeGreaterThanOrEqual(395);
  await expect(textOf(made)).rejects.toThrow('does not run');
  expect(starts()).toHaveLength(3);
});

it('with 0 respawns a server that ended stays ended', async () => {
  const made = client({ maxRespawns: 0 });
  await made.start();
  await expect(textOf(made, 'die', 'write')).rejects.toThrow('SIGKILL');
  await expect(textOf(made)).rejects.toThrow('does not run');
  expect(starts()).toHaveLength(1);
});

it('ends a server that does not answer in time, even a stubborn one, and starts another', async () => {
  const made = client({ timeoutMs: 1_500 }, { stubborn: true });
  await made.start();
  const beside = textOf(made, 'hang');
  await expect(Promise.all([beside, textOf(made, 'hang')])).rejects.toThrow('not answered within 1500 ms');
  await Promise.allSettled([beside]);
  expect(await textOf(made)).toMatch(/^from/);
  await vi.waitFor(() => expect(alive()).toBe(1), SOON);
});

it('gives initialize its own time, and 0 waits without end', async () => {
  const hasty = client({ initTimeoutMs: 1_500, timeoutMs: 0, maxRespawns: 1 }, { mute: true });
  await expect(hasty.start()).rejects.toThrow('initialize was not answered within 1500 ms');
  expect(starts()).toHaveLength(2);
  const patient = client({ timeoutMs: 0 });
  const hanging = textOf(patient, 'hang').then(
    () => 'answered',
    () => 'refused',
  );
  expect(await Promise.race([hanging, new Promise((go) => setTimeout(go, 300, 'waits'))])).toBe('waits');
  await patient.close();
  expect(await hanging).toBe('refused');
});

it('a cancelled call ends at once, and the server is told', async () => {
  const made = client();
  await made.start();
  const abort = new AbortController();
  const call = textOf(made, 'hang', 'read', abort.signal);
  await vi.waitFor(() => expect(lines('read').join()).toContain('"hang"'));
  const begin = Date.now();
  abort.abort();
  await expect(call).rejects.toThrow('cancelled');
  expect(Date.now() - begin).toBeLessThan(1_000);
  const { id } = JSON.parse(lines('read').find((line) => line.includes('"hang"')) ?? '') as { id: number };
  await vi.waitFor(
    () =>
      expect(lines('read').map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({
          method: 'notifications/cancelled',
          params: expect.objectContaining({ requestId: id }),
        }),
      ),
    SOON,
  );
  await expect(textOf(made, '', 'read', abort.signal)).rejects.toThrow('cancelled');
  expect(await textOf(made)).toMatch(/^from/);
  expect(starts()).toHaveLength(1);
});

it('a stubborn server is gone when the session has ended, and one that is starting is, too', async () => {
  const made = client({}, { stubborn: true });
  await made.start();
  await made.close();
  expect(alive()).toBe(0);
  const starting = client({}, { stubborn: true, mute: true });
  const refused = expect(starting.start()).rejects.toThrow();
  await vi.waitFor(() => expect(alive()).toBe(1), SOON);
  await starting.close();
  await refused;
  expect(alive()).toBe(0);
});
