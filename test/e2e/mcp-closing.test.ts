import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { wordyDocument } from '../support/documents.js';
import { RawServer } from '../support/raw-server.js';
import { TestEnv } from '../support/test-env.js';

/** Processes that keep every core busy until the test ends. */
function load(processes: number): void {
  for (let n = 0; n < processes; n += 1) {
    const busy = spawn(process.execPath, [
      '-e',
      'setTimeout(process.exit, 120_000); setInterval(() => { for (let i = 0; i < 1e8; i += 1); })',
    ]);
    onTestFinished(() => {
      busy.kill('SIGKILL');
    });
  }
}

const CALLS = 30;

it('every received call is answered, even if stdin closes at once and the machine is busy', {
  timeout: 180_000,
}, async () => {
  const env = new TestEnv();
  await env.json('mempalace-docs', [
    env.project('shop', { 'README.md': '# Shop\n\nThe shop sells lamps.\n' }),
  ]);
  load(2);
  const server = new RawServer(env, ['--tools', 'all', '--timeout', '100s']);
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const call = (id: number, name: string, given: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: `mempalace_${name}`, arguments: given },
  });
  const messages = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    ...Array.from({ length: CALLS }, (_, n) => [
      // It waits for the model, and for the calls before it.
      call(3 * n + 1, 'check_duplicate', { content: wordyDocument(n) }),
      call(3 * n + 2, 'search', { query: `lamps ${n}` }),
      call(3 * n + 3, 'status', {}),
    ]).flat(),
  ];
  // The last line without a line feed, as printf writes it.
  server.process.stdin.end(messages.map((message) => JSON.stringify(message)).join('\n'));
  expect(await server.ended).toBe(0);
  const answers = server.messages.filter((message) => 'result' in message);
  expect(answers.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 3 * CALLS + 1 }, (_, n) => n),
  );
  expect(answers.filter(({ result }) => (result as { isError?: boolean }).isError === true)).toEqual([]);
});

it('a server whose settings are wrong says so to its client, and ends although stdin stays open', async () => {
  const env = new TestEnv();
  env.project('.config/mempalace', { 'config.yaml': 'search:\n  limit: many\n' });
  const server = new RawServer(env);
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const messages = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  ];
  server.process.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  expect(await server.ended).toBe(2);
  const [, refusal] = server.messages;
  expect(refusal).toMatchObject({ id: 1, error: { message: expect.stringContaining('search.limit') } });
});
