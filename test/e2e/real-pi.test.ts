import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  agentFolder,
  allGone,
  EXTENSION,
  PI_RELEASES,
  type PiRelease,
  processesOf,
  RealPi,
} from '../support/real-pi.js';
import { type ScriptedModel, scriptedModel } from '../support/scripted-model.js';
import { TestEnv } from '../support/test-env.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PASSAGE = 'The proxy listens on port 8443, since 443 needs root.';
const DIARY = '/mempalace-diary retro';

/** Calls a search for every question but those named here, and answers with what it returned. */
function answering(question: string, results: readonly string[]) {
  if (results.length > 0) return `It returned: ${results.at(-1)}`;
  if (question.includes('mempalace_diary_write')) {
    const agent = /agent_name "([^"]*)"/.exec(question)?.[1];
    const topic = /topic "([^"]*)"/.exec(question)?.[1];
    const entry = 'discoveries: proxy | 443->8443 | ★★ | DECISION';
    return { tool: 'mempalace_diary_write', arguments: { agent_name: agent, topic, entry } };
  }
  if (question.includes('just talk')) return 'We talk.';
  return { tool: 'mempalace_search', arguments: { query: 'port of the proxy' } };
}

interface Machine {
  env: TestEnv;
  model: ScriptedModel;
  started(more?: readonly string[], variables?: Record<string, string>): RealPi;
}

/** A machine with a palace, pi with our extension, and a model. */
async function machine(release: PiRelease, linked = true): Promise<Machine> {
  const env = new TestEnv();
  await env.json('mempalace', ['diary', 'write', '--agent', 'founder', PASSAGE]);
  const model = await scriptedModel(answering);
  agentFolder(env, model, { linked });
  onTestFinished(() => model.close());
  return { env, model, started: (more, variables) => new RealPi(env, release, more, variables) };
}

const wordsOf = (content: unknown): string => JSON.stringify(content);
const systemOf = ({ messages }: ScriptedModel['requests'][number]): string =>
  messages.flatMap(({ role, content }) => (role === 'system' ? [wordsOf(content)] : [])).join('\n');
/** The result of a tool in the last request. */
const lastResult = ({ requests }: ScriptedModel): string =>
  wordsOf(requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content);
const stop = (pid: number | undefined, signal: NodeJS.Signals) => process.kill(pid ?? 0, signal);

describe.skipIf(PI_RELEASES.length > 0)('real pi', () => {
  it.skip('needs PI_COMMANDS (test/support/real-pi.ts)', () => {});
});

describe.for(PI_RELEASES)('pi $version', { timeout: 240_000 }, (release) => {
  it('is told what is known, searches, and files its sessions by itself', async () => {
    const { env, model, started } = await machine(release);
    const pi = started();
    await pi.prompt('On which port does the proxy listen?');
    await pi.prompt('Now just talk about grey herons.');
    const { requests } = model;
    // In the system prompt of every request, once, and in none of the messages.
    for (const request of requests) expect(systemOf(request).split('## in this palace')).toHaveLength(2);
    expect(wordsOf(requests[0]?.messages.filter(({ role }) => role !== 'system'))).not.toContain(PASSAGE);
    expect(wordsOf(requests[1]?.messages.at(-1))).toContain(PASSAGE);
    const search = requests[0]?.tools?.find(({ function: { name } }) => name.endsWith('mempalace_search'));
    expect(search?.function.parameters).toMatchObject({
      required: ['query'],
      properties: { since: {}, wing: {} },
    });
    expect(wordsOf(pi.messages)).toContain('mempalace: remembers');

    const filed = () => env.json('mempalace', ['search', 'grey herons', '--by', 'source']);
    await vi.waitFor(async () => expect(wordsOf((await filed()).hits)).toContain('We talk.'), {
      timeout: 60_000,
      interval: 500,
    });
    expect(wordsOf(pi.messages)).not.toContain('extension_error');
    expect(await pi.quit()).toBe(0);
    const { hits } = await env.json('mempalace', ['search', '"read on: mempalace show"', '--by', 'drawer']);
    expect(wordsOf(hits)).not.toContain('read on: mempalace show');
  });

  it.each([
    ['pi', {}],
    ['pi-laptop', { MEMPALACE_AGENT_NAME: 'pi-laptop' }],
  ])('writes a diary entry as %s on /mempalace-diary', async (agent, variables) => {
    const { env, started } = await machine(release);
    const pi = started([], variables);
    await pi.ask('prompt', { message: DIARY });
    await pi.idle();
    const { entries } = await env.json('mempalace', ['diary', 'read', '--agent', agent]);
    expect(entries).toMatchObject([
      { agent, topic: 'retro', wing: `wing_${agent}`, content: expect.stringContaining('443->8443') },
    ]);
    expect(await pi.quit()).toBe(0);
    await allGone(env);
    // As it was typed: what the extension asked would be found as the user's words.
    const { hits } = await env.json('mempalace', ['search', 'a diary entry in AAAK']);
    expect(wordsOf(hits)).toContain(DIARY);
    expect(wordsOf(hits)).not.toContain('Quote what must stay exact');
  });

  it('goes on when the server is killed between and during calls', async () => {
    const { model, started } = await machine(release);
    const pi = started();
    await pi.prompt('first');
    const [first] = pi.servers();
    stop(first, 'SIGKILL');
    // pi's own client reports a call into a pipe whose other end it does not know to be gone.
    await vi.waitFor(() => expect(pi.servers()).toEqual([]), { timeout: 5_000 });
    await new Promise((go) => setTimeout(go, 500));
    await pi.prompt('second');
    expect(lastResult(model)).toContain(PASSAGE);
    const [second] = pi.servers();
    expect(second).not.toBe(first);

    stop(second, 'SIGSTOP');
    await pi.ask('prompt', { message: 'third' });
    await pi.seen(({ type }) => type === 'tool_execution_start', 'the call');
    stop(second, 'SIGKILL');
    await pi.idle();
    // Our own client asks again; pi's reports it, and connects at the next call.
    if (!release.native) expect(lastResult(model)).toContain(PASSAGE);
    await pi.prompt('fourth');
    expect(lastResult(model)).toContain(PASSAGE);
    expect(pi.servers()).toHaveLength(1);
    expect(await pi.quit()).toBe(0);
  });

  it('ends a call at once when the user does', async () => {
    const { model, started } = await machine(release);
    const pi = started();
    await pi.prompt('first');
    const [server] = pi.servers();
    stop(server, 'SIGSTOP');
    await pi.ask('prompt', { message: 'second' });
    await pi.seen(({ type }) => type === 'tool_execution_start', 'the call');
    const start = Date.now();
    await pi.ask('abort');
    expect(Date.now() - start).toBeLessThan(1_000);
    stop(server, 'SIGCONT');
    await pi.prompt('third');
    expect(lastResult(model)).toContain(PASSAGE);
    expect(await pi.quit()).toBe(0);
  });

  it.runIf(!release.native)('ends a server that does not answer in time, and starts another', async () => {
    const { model, started } = await machine(release);
    const pi = started([], { MEMPALACE_MCP_TIMEOUT_MS: '1500', MEMPALACE_MCP_RESPAWN_BACKOFF_MS: '10' });
    await pi.prompt('first');
    stop(pi.servers()[0], 'SIGSTOP');
    const start = Date.now();
    await pi.prompt('second');
    expect(Date.now() - start).toBeLessThan(5_000);
    expect(lastResult(model)).toContain('was not answered within 1500 ms');
    await pi.prompt('third');
    expect(lastResult(model)).toContain(PASSAGE);
    await vi.waitFor(() => expect(pi.servers()).toHaveLength(1), { timeout: 5_000 });
    expect(await pi.quit()).toBe(0);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('leaves no server behind on %s', async (signal) => {
    const { started } = await machine(release);
    const pi = started();
    await pi.prompt('first');
    expect(pi.servers()).toHaveLength(1);
    pi.kill(signal);
    await pi.ended;
    await vi.waitFor(() => expect(pi.servers()).toEqual([]), { timeout: 5_000, interval: 50 });
  });

  it('remembers after a compaction, which files the session, too', async () => {
    const { env, model, started } = await machine(release);
    const settings = join(env.home, '.pi/agent/settings.json');
    const given = JSON.parse(readFileSync(settings, 'utf8')) as object;
    writeFileSync(settings, JSON.stringify({ ...given, compaction: { keepRecentTokens: 1 } }));
    const pi = started();
    for (const word of ['kingfishers', 'herons'])
      await pi.prompt(`just talk of ${word} ${'and water '.repeat(200)}`);
    await pi.ask('compact');
    await pi.prompt('On which port does the proxy listen?');
    const last = model.requests.at(-1);
    expect(systemOf(last ?? { messages: [] }).split('## in this palace')).toHaveLength(2);
    expect(lastResult(model)).toContain(PASSAGE);
    expect(await pi.quit()).toBe(0);
    await allGone(env);
    const log = readFileSync(join(env.palace, 'hooks/hooks.log'), 'utf8');
    expect(log).toContain('pi precompact: queued');
    const { hits } = await env.json('mempalace', ['search', 'kingfishers']);
    expect(wordsOf(hits)).toContain('kingfishers');
  });

  it('in print mode answers, files the session, and leaves nothing behind; --help starts nothing', async () => {
    const { env, started } = await machine(release);
    const pi = started(['--mode', 'text', '-p', 'just talk of an ibis']);
    expect([await pi.quit(), pi.servers(), pi.stderr]).toEqual([0, [], '']);
    await allGone(env);
    expect(wordsOf((await env.json('mempalace', ['search', 'talk of an ibis'])).hits)).toContain('ibis');
    const help = started(['--help']);
    expect([await help.quit(), processesOf(env, 'mempalace')]).toEqual([0, []]);
  });

  it("uses the palace's broker, which outlives it", async () => {
    const { env, model, started } = await machine(release);
    env.env.MEMPALACE_BROKER = 'auto';
    onTestFinished(async () => void (await env.run('mempalace', ['broker', 'stop'])));
    const pi = started();
    await pi.prompt('first');
    expect(lastResult(model)).toContain(PASSAGE);
    pi.kill('SIGKILL');
    await pi.ended;
    await vi.waitFor(() => expect(pi.servers()).toEqual([]), { timeout: 5_000, interval: 50 });
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true });
    await env.run('mempalace', ['broker', 'stop']);
  });

  it('works without a palace that can be read, and without the server', async () => {
    const { env, model, started } = await machine(release);
    const broken = started([], { MEMPALACE_MCP_COMMAND: '/nowhere/mempalace-mcp' });
    await broken.prompt('just talk');
    expect(wordsOf(model.requests.at(-1))).toContain('just talk');
    if (!release.native) expect(wordsOf(broken.messages)).toContain("without the palace's tools");
    expect(await broken.quit()).toBe(0);

    await allGone(env);
    for (const name of readdirSync(env.palace).filter((each) => /-(?:shm|wal)$/.test(each)))
      writeFileSync(join(env.palace, name), '');
    writeFileSync(
      join(env.palace, 'palace.sqlite3'),
      'this is not a database, but long enough to be taken for one',
    );
    const pi = started();
    await pi.prompt('On which port does the proxy listen?');
    expect(lastResult(model)).toMatch(/damaged|not a (?:palace|database)/);
    await pi.seen(
      () => /"statusText":"mempalace: [^"]*(?:damaged|not a)/.test(wordsOf(pi.messages)),
      'its status',
    );
    await pi.prompt('just talk');
    expect(wordsOf(pi.messages)).not.toContain('extension_error');
    expect(await pi.quit()).toBe(0);

    const nothing = started([], {
      MEMPALACE_COMMAND: '/nowhere/mempalace',
      MEMPALACE_MCP_COMMAND: '/nowhere/mempalace-mcp',
    });
    await nothing.prompt('just talk');
    expect(await nothing.quit()).toBe(0);
  });

  it('serves new, forked and resumed sessions, with one server', async () => {
    const { env, model, started } = await machine(release);
    const pi = started();
    await pi.prompt('just talk of the first kingfisher');
    const { sessionFile } = await pi.ask('get_state');
    for (const [type, fields] of [
      ['new_session', {}],
      ['switch_session', { sessionPath: sessionFile }],
    ] as const) {
      await pi.ask(type, fields);
      await pi.prompt(`after ${type}`);
      expect(systemOf(model.requests.at(-1) ?? { messages: [] })).toContain(PASSAGE);
      expect(lastResult(model)).toContain(PASSAGE);
      expect(pi.servers()).toHaveLength(1);
    }
    const { messages } = await pi.ask('get_fork_messages');
    const [first] = messages as { entryId: string }[];
    await pi.ask('fork', { entryId: first?.entryId });
    await pi.prompt('just talk of the fork and its second kingfisher');
    expect(systemOf(model.requests.at(-1) ?? { messages: [] })).toContain(PASSAGE);
    expect(pi.servers()).toHaveLength(1);
    expect(await pi.quit()).toBe(0);
    for (const words of [
      'first kingfisher',
      'after new_session',
      'after switch_session',
      'second kingfisher',
    ])
      await vi.waitFor(
        async () =>
          expect(wordsOf((await env.json('mempalace', ['search', `"${words}"`])).hits)).toContain(words),
        { timeout: 60_000, interval: 500 },
      );

    const again = started(['--continue']);
    await again.prompt('just talk again');
    const { messages: said } = model.requests.at(-1) ?? { messages: [] };
    expect(wordsOf(said)).toContain('kingfisher');
    expect(systemOf({ messages: said }).split('## in this palace')).toHaveLength(2);
    expect(await again.quit()).toBe(0);
  });

  it('works once when it is loaded twice, linked and as a package', async () => {
    const { env, model, started } = await machine(release);
    const { command, args } = release;
    await execa(command, [...args, 'install', ROOT], {
      env: { ...env.env, PI_OFFLINE: '1' },
      extendEnv: false,
      cwd: env.home,
    });
    const pi = started(['-e', EXTENSION]);
    const { commands } = await pi.ask('get_commands');
    const names = (commands as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => name.includes('diary'))).toEqual(['mempalace-diary']);
    expect(names).toContain('skill:mempalace');
    await pi.prompt('first');
    expect(pi.servers()).toHaveLength(1);
    const [request] = model.requests;
    expect(request === undefined ? [] : systemOf(request).split('## in this palace')).toHaveLength(2);
    const tools = request?.tools?.map(({ function: { name } }) => name) ?? [];
    expect(tools.filter((name) => name.endsWith('mempalace_search'))).toHaveLength(1);
    expect(lastResult(model)).toContain(PASSAGE);
    expect(wordsOf(pi.messages)).not.toContain('extension_error');
    expect(await pi.quit()).toBe(0);
  });

  it('uses the entry of mempalace mcp install pi where pi reads it', async () => {
    const { env, model, started } = await machine(release, false);
    await env.json('mempalace', ['mcp', 'install', 'pi', '--agent', 'pi']);
    const pi = started();
    await pi.prompt('first');
    if (release.native) expect(lastResult(model)).toContain(PASSAGE);
    else expect(pi.servers()).toEqual([]);
    expect(await pi.quit()).toBe(0);
  });
});
