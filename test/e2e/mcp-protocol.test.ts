import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_TOOLS } from '../../src/mcp/registry.js';
import { WRITE_LOG } from '../../src/mcp/write-log.js';
import { takeLock } from '../../src/platform/lock.js';
import { builtOnce } from '../support/built-once.js';
import { RawServer } from '../support/raw-server.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { thorough } from '../support/thorough.js';

const filled = builtOnce(async (env: TestEnv) => {
  await env.json('mempalace-docs', [env.project('shop', { 'a.md': '# Proxy\n\nPort 8443.\n' })]);
});

const FUZZED = thorough ? 10_000 : 1_000;

describe('the handshake', () => {
  it('is answered once, as clients of the first revisions expect', async () => {
    const server = new RawServer(new TestEnv());
    expect(await server.open('2024-11-05')).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
    expect(await server.ask('ping', 'ping')).toMatchObject({ result: {} });
    expect(server.messages.filter(({ id }) => id === 'open')).toHaveLength(1);
  });

  it('can be absent, as in the revisions without one', async () => {
    const server = new RawServer(new TestEnv());
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const discovered = await server.ask(1, 'server/discover', { _meta: meta });
    expect(discovered).toMatchObject({
      result: { supportedVersions: expect.arrayContaining(['2026-07-28']) },
    });
    const listed = await server.ask(2, 'tools/list', { _meta: meta });
    expect(listed).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  it('names the client in every request of those revisions: in the write log and with each drawer', async () => {
    const { env } = await filled();
    const server = new RawServer(env);
    // As Claude Code 2.1.330 does.
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': {
        name: 'claude-code',
        title: 'Claude Code',
        version: '2.1.330',
        websiteUrl: 'https://claude.com/claude-code',
      },
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      progressToken: 2,
      'claudecode/toolUseId': 'toolu_1',
    };
    const given = { wing: 'w', room: 'r', content: 'The port of the proxy is 8443.' };
    const filed = await server.ask(1, 'tools/call', {
      name: 'mempalace_add_drawer',
      arguments: given,
      _meta: meta,
    });
    expect(filed).toMatchObject({ result: { structuredContent: { success: true } } });
    const log = readFileSync(join(env.palace, WRITE_LOG), 'utf8').trim().split('\n');
    expect(JSON.parse(log.at(-1) ?? '')).toMatchObject({
      agent: 'claude-code',
      client: 'claude-code 2.1.330',
      tool: 'mempalace_add_drawer',
    });
    const fact = { subject: 'shop', predicate: 'proxy_port', object: '8443' };
    const told = await server.ask(2, 'tools/call', {
      name: 'mempalace_kg_add',
      arguments: fact,
      _meta: meta,
    });
    expect(told).toMatchObject({ result: { structuredContent: { success: true } } });
    const { stdout } = await env.run('mempalace', ['kg', 'export']);
    expect(stdout).toMatch(/"added_by": ?"claude-code"/);
  });
});

describe('an invalid request', () => {
  it('is answered with an error; the server continues', async () => {
    const server = new RawServer(new TestEnv());
    await server.open();
    server.say('{"jsonrpc":"2.0","id":1,"method":');
    expect(await server.message(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } });
    expect(await server.ask(2, 'no/such/method')).toMatchObject({ error: { code: -32601 } });
    expect(await server.call(3, 'no_such_tool')).toMatchObject({ error: { code: -32602 } });
    expect(await server.ask(4, 'tools/call', {})).toMatchObject({ error: { code: -32602 } });
    server.say('{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}');
    expect(await server.answer(5)).toMatchObject({ error: { code: -32600 } });
    const refused = await server.call(6, 'search', { limit: 5 });
    expect(refused).toMatchObject({ result: { isError: true, content: [{ text: expect.any(String) }] } });
    expect(refused).not.toHaveProperty('result.structuredContent');
    expect(JSON.stringify(refused)).toMatch(/query.*usage/);
    expect(await server.ask(7, 'ping')).toMatchObject({ result: {} });
  });

  it(`does not stop the server: ${FUZZED} fuzzed requests`, { timeout: 600_000 }, async () => {
    const { env } = await filled();
    const server = new RawServer(env, ['--tools', 'all', '--timeout', '20s']);
    await server.open();
    // Starting processes is not tested here.
    const tools = ALL_TOOLS.map(({ name }) => name).filter(
      (name) => !/_(mine|sync|verify|delete_by_source)$/.test(name),
    );
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.object({ maxDepth: 2 }));
    const names = [...new Set(ALL_TOOLS.flatMap((tool) => Object.keys(tool.input.shape)))];
    const args = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 5 });
    const params = fc.oneof(
      fc.record({ name: fc.constantFrom(...tools), arguments: args }),
      fc.record({ name: fc.string(), arguments: value }),
      value,
    );
    const method = fc.oneof(
      { weight: 8, arbitrary: fc.constant('tools/call') },
      fc.constantFrom('tools/list', 'ping', 'resources/list', 'prompts/get', 'logging/setLevel'),
      fc.string(),
    );
    const requests = fc.sample(fc.record({ method, params }), { numRuns: FUZZED, seed: 7 });
    const garbage = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 50, seed: 7 });
    for (let at = 0; at < requests.length; at += 100) {
      const block = requests.slice(at, at + 100);
      block.forEach((request, n) => {
        server.send({ id: `fuzz-${at + n}`, ...request });
        if (n % 20 === 0) server.say((garbage[(at + n) % 50] ?? '').replaceAll('\n', ' '));
      });
      for (const n of block.keys()) await server.answer(`fuzz-${at + n}`);
      server.messages.splice(0);
    }
    expect(await server.call('last', 'search', { query: 'proxy port' })).toMatchObject({
      result: { structuredContent: { results: expect.any(Array) } },
    });
    expect(JSON.stringify(server.messages)).not.toContain('"bug"');
    server.process.stdin.end();
    expect(await server.ended).toBe(0);
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

describe('a call', () => {
  const cancel = (requestId: number) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  const calling = (id: number, name: string, args: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

  it('that is cancelled is not answered, and writes nothing', async () => {
    const { env } = await filled();
    const server = new RawServer(env);
    await server.open();
    const draft = { wing: 'wing_x', room: 'y', content: 'Never to be filed.' };
    // Both at once: the text waits at least for the model.
    server.say(`${calling(1, 'mempalace_add_drawer', draft)}\n${cancel(1)}`);
    server.say(`${calling(2, 'mempalace_search', { query: 'port' })}\n${cancel(2)}`);
    await server.call(3, 'add_drawer', { wing: 'wing_x', room: 'y', content: 'To be filed.' });
    expect(server.messages.filter(({ id }) => id === 1)).toEqual([]);
    const { wings } = await env.json('mempalace', ['status']);
    expect(wings).toContainEqual(expect.objectContaining({ wing: 'wing_x', drawers: 1 }));
  });

  it('that started a program ends it when it is cancelled or reaches its time limit', async () => {
    const { env } = await filled();
    const server = new RawServer(env, ['--tools', 'all', '--timeout', '15s']);
    await server.open();
    const shop = env.project('shop', { 'b.md': '# Never\n\nTo be filed.\n' });
    const log = join(env.palace, 'write-log.jsonl');
    const waiting = () => existsSync(log) && readFileSync(log, 'utf8').includes('mempalace_mine');
    const lock = await takeLock(join(env.palace, 'run.lock'), 'some long run', 0);
    try {
      server.say(calling(1, 'mempalace_mine', { source: shop }));
      await sleep(300);
      server.say(cancel(1));
      await server.call(2, 'search', { query: 'port' });
      while (!waiting()) await sleep(20);
      expect(await server.call(3, 'mine', { source: shop })).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining('some long run') }] },
      });
    } finally {
      lock.release();
    }
    expect(server.messages.filter(({ id }) => id === 1)).toEqual([]);
    const { documents } = await env.json('mempalace', ['verify', '--docs', shop], 3);
    expect(documents).toMatchObject({ ok: 1, missing: 1 });
  });
});

describe('the shutdown', () => {
  it('follows the end of stdin, after all calls are answered', async () => {
    const { env } = await filled();
    const server = new RawServer(env);
    const open = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    server.send({ id: 1, method: 'initialize', params: open });
    server.send({ method: 'notifications/initialized' });
    server.send({
      id: 2,
      method: 'tools/call',
      params: { name: 'mempalace_search', arguments: { query: 'port' } },
    });
    server.process.stdin.end();
    expect(await server.ended).toBe(0);
    expect(server.messages.map(({ id }) => id)).toEqual([1, 2]);
    expect(server.stderr).toBe('');
  });

  it.each([
    ['SIGTERM', true],
    ['SIGTERM', false],
    ['SIGINT', false],
  ] as const)('is orderly on %s (model loaded: %s)', async (name, warm) => {
    const { env } = await filled();
    const server = new RawServer(env);
    await server.open();
    if (warm) await server.call(1, 'check_duplicate', { content: 'x' });
    else await server.ask(1, 'ping');
    server.process.kill(name);
    expect(await server.ended).toBe(0);
    expect(server.stderr).toBe('');
  });

  it('follows the close of stdout', async () => {
    const { env } = await filled();
    const server = new RawServer(env);
    await server.open();
    server.process.stdout.destroy();
    server.send({ id: 1, method: 'tools/list' });
    expect(await server.ended).toBe(0);
  });
});

describe('the command line', () => {
  it('is checked before the server starts', async () => {
    const env = new TestEnv();
    for (const [args, words] of [
      [['--tools', 'serach'], 'there is no tool'],
      [['--json'], 'protocol'],
      [['--timeout', '0s'], '--timeout'],
      [['--no-such'], 'no-such'],
    ] as const) {
      const outcome = await env.run('mempalace-mcp', [...args]);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
      expect(outcome.stderr).toContain(words);
    }
    expect((await env.run('mempalace-mcp', ['--help'])).stdout).toContain('mempalace mcp install');
  });
});
