import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { brokerFile, killBroker, withBroker } from '../support/broker.js';
import { removeFolder } from '../support/cleanups.js';
import { toldBy } from '../support/hook-starts.js';
import { type Connected, connected, warmed } from '../support/mcp-client.js';
import { RawServer } from '../support/raw-server.js';
import { filledMachine } from '../support/real-palace.js';
import { TestEnv } from '../support/test-env.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const machine = filledMachine();

async function filled(): Promise<TestEnv> {
  return withBroker((await machine()).env);
}

/** Another machine with the same palace. */
function copyOf({ palace }: TestEnv): TestEnv {
  const env = withBroker(new TestEnv());
  cpSync(palace, env.palace, { recursive: true });
  return env;
}

const status = async (env: TestEnv) => env.json('mempalace', ['broker', 'status']);

describe('agents of one palace', () => {
  it('share one broker, and get the same answers as without', async () => {
    const env = await filled();
    const [one, other] = [await connected(env), await connected(env, ['--tools', 'all'])];
    await warmed(one);
    // The model is loaded: the first search of the other client is by meaning.
    const { results, notes } = await other.done('search', { query: 'lamps' });
    expect(notes).toEqual([]);
    expect(await status(env)).toMatchObject({ running: true, clients: 2, pid: brokerFile(env).pid });
    env.env.MEMPALACE_BROKER = 'off';
    const alone = await connected(env, ['--tools', 'all']);
    expect(await other.client.listTools()).toEqual(await alone.client.listTools());
    await warmed(alone);
    expect((await alone.done('search', { query: 'lamps' })).results).toEqual(results);
  });

  it('that work by themselves after a storm join the broker that runs by now, once they are idle', async () => {
    const env = await filled();
    const first = await connected(env);
    await first.done('status');
    env.env.MEMPALACE_MCP_RESPAWN_BACKOFF_MS = '20';
    env.env.MEMPALACE_MCP_MAX_RESPAWNS = '0';
    const other = await connected(env);
    await other.done('status');
    killBroker(env);
    // Without attempts it falls back at once.
    expect((await textsOf(other)).at(-1)).toContain('works by itself');
    const draft = { wing: 'notes', room: 'decisions', content: 'The storm is over.' };
    await other.done('add_drawer', draft);
    await first.done('status');
    await expect.poll(async () => (await status(env)).clients, { timeout: 20_000 }).toBe(2);
    expect((await other.done('search', { query: 'The storm is over' })).results).not.toEqual([]);
    expect(await status(env)).toMatchObject({ clients: 2 });
  });

  it('learn their tools before a broker is there', async () => {
    const env = await filled();
    const first = await connected(env, ['--tools', 'all']);
    await first.done('status');
    const tools = await first.client.listTools();
    const { socket } = brokerFile(env);
    await env.run('mempalace', ['broker', 'stop']);
    // Another process is starting a broker, so this client waits for one.
    writeFileSync(`${socket}.starting`, `${process.pid}\n`);
    const early = await connected(env, ['--tools', 'all']);
    expect(await early.client.listTools()).toEqual(tools);
    expect(existsSync(join(env.palace, 'broker.json'))).toBe(false);
    rmSync(`${socket}.starting`);
    expect((await early.done('search', { query: 'lamps' })).results).not.toEqual([]);
  });

  it('have their own tools, names and working folders', async () => {
    const env = await filled();
    const reader = await connected(env, ['--read-only']);
    const writer = await connected(env, ['--agent', 'ada']);
    const names = (await reader.client.listTools()).tools.map(({ name }) => name);
    expect(names).not.toContain('mempalace_add_drawer');
    await expect(reader.call('add_drawer')).rejects.toThrow('there is no tool');
    const draft = { wing: 'notes', room: 'decisions', content: 'Lamps are made of brass.' };
    await writer.done('add_drawer', draft);
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain('"agent":"ada"');
    const here = await connected(env, [], { cwd: join(env.home, 'shop') });
    const { notes } = await here.done('search', { query: 'lamps' });
    expect(notes).toContainEqual(expect.stringContaining('preferring this project (wing_shop)'));
    expect((await reader.done('search', { query: 'lamps' })).notes).not.toContainEqual(
      expect.stringContaining('preferring'),
    );
    expect(await status(env)).toMatchObject({ clients: 3 });
  });

  it('go on when the broker is killed: reads are asked again, and a new one serves all', async () => {
    const env = await filled();
    const [one, other] = [await connected(env), await connected(env)];
    await warmed(one);
    const before = killBroker(env);
    expect((await one.done('status')).total_drawers).toBeGreaterThan(0);
    const draft = { wing: 'notes', room: 'decisions', content: 'The broker was killed.' };
    await other.done('add_drawer', draft);
    const now = brokerFile(env).pid;
    expect(now).not.toBe(before);
    expect(await status(env)).toMatchObject({ running: true, pid: now, clients: 2 });
  });

  it('with other settings work by themselves, and are told once which', async () => {
    const env = await filled();
    const one = await connected(env);
    await one.done('status');
    env.env.MEMPALACE_SEARCH_LIMIT = '7';
    env.env.TZ = 'Asia/Tokyo';
    const other = await connected(env);
    const texts = () => textsOf(other);
    const told = 'other settings than the broker: search.limit, time zone; this server works by itself';
    expect((await texts())[1]).toContain(told);
    expect(await texts()).toHaveLength(1);
    for (const name of ['MEMPALACE_SEARCH_LIMIT', 'TZ']) Reflect.deleteProperty(env.env, name);
    expect(await status(env)).toMatchObject({ clients: 1 });
    expect(readFileSync(join(env.palace, 'broker.log'), 'utf8')).toContain(told.split(';')[0]);
  });

  it('whose variables say what holds anyway, or matter to other models only, share it', async () => {
    const env = await filled();
    await (await connected(env)).done('status');
    const { home } = env;
    const same: Record<string, string> = {
      TZ: env.env.TZ ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      XDG_CACHE_HOME: join(home, '.cache'),
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      MEMPALACE_MODELS: join(home, '.local/share/mempalace/models'),
      MEMPALACE_SEARCH_LIMIT: '5',
      MEMPALACE_API_KEY: 'of another endpoint',
      OPENAI_API_KEY: 'abc',
      OPENAI_BASE_URL: 'https://models.example.org',
      HF_TOKEN: 'abc',
      HF_HUB_OFFLINE: '1',
    };
    const clients = [];
    for (const [name, value] of Object.entries(same)) {
      const before = env.env[name];
      env.env[name] = value;
      clients.push(await connected(env));
      expect((await clients.at(-1)?.done('status'))?.palace, name).toBe(env.palace);
      if (before === undefined) Reflect.deleteProperty(env.env, name);
      else env.env[name] = before;
    }
    expect(await status(env)).toMatchObject({ clients: 1 + clients.length });
  });

  it('share it where the settings name a time zone, and so do their hooks', async () => {
    const env = await filled();
    env.env.MEMPALACE_TIMEZONE = 'Asia/Tokyo';
    env.env.MEMPALACE_WAKE_UP_PROMPT = 'on';
    await warmed(await connected(env));
    expect(await status(env)).toMatchObject({ clients: 1 });
    const input = { session_id: 'one', cwd: env.home, prompt: 'Which lamps does the shop sell?' };
    expect(await toldBy(env, 'claude-code', input, 'user-prompt')).toContain('Sells lamps');
    expect(readFileSync(join(env.palace, 'broker.log'), 'utf8')).not.toContain('other settings');
  });

  it('whose sockets would be in another folder share it', async () => {
    const env = await filled();
    await (await connected(env)).done('status');
    env.env.XDG_RUNTIME_DIR = mkdtempSync(join(tmpdir(), 'mp-runtime-'));
    onTestFinished(() => removeFolder(env.env.XDG_RUNTIME_DIR ?? ''));
    await (await connected(env)).done('status');
    expect(await status(env)).toMatchObject({ clients: 2, pid: brokerFile(env).pid });
    expect(readdirSync(env.env.XDG_RUNTIME_DIR)).toEqual([]);
  });

  it('that all start at the same moment have one broker', async () => {
    const env = await filled();
    const clients = await Promise.all(Array.from({ length: 8 }, () => connected(env)));
    await Promise.all(clients.map((client) => client.done('status')));
    expect(await status(env)).toMatchObject({ running: true, clients: 8 });
    const log = readFileSync(join(env.palace, 'broker.log'), 'utf8');
    expect(log.match(/listens on/g)).toHaveLength(1);
  });
});

describe('commands', () => {
  it('use the broker if it runs, print the same, and do not start it', async () => {
    const env = await filled();
    const search = ['search', 'lamps', '--explain', '--links'];
    const id = await anyDrawer(env);
    const commands = [
      search,
      ['timeline', id],
      ['show', id],
      ['show', 'handbook.md'],
      ['wake-up'],
      ['show', 'no'],
    ];
    const outcomes = async () => {
      const all = [];
      for (const args of [...commands, ...commands.map((each) => [...each, '--json'])]) {
        const { stdout, ...outcome } = await env.run('mempalace', args);
        // Recency changes with the time, and the last digit of a cosine with the threads of the model.
        all.push({ ...outcome, stdout: stdout.replace(/\d\.\d{4,}/g, (digits) => digits.slice(0, 4)) });
      }
      return all;
    };
    const alone = await outcomes();
    expect(alone.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
    expect(existsSync(join(env.palace, 'broker.json'))).toBe(false);
    await env.run('mempalace', ['broker', 'ensure']);
    expect(await outcomes()).toEqual(alone);
    // The broker answered: it has loaded the model.
    const client = await connected(env);
    expect((await client.done('status')).model).toMatchObject({ loaded: true });
  });
});

describe('without a broker', () => {
  it('a server works where it is switched off, or there is no palace yet', async () => {
    const env = await filled();
    env.env.MEMPALACE_BROKER = 'off';
    await (await connected(env)).done('status');
    expect(existsSync(join(env.palace, 'broker.json'))).toBe(false);
    const empty = withBroker(new TestEnv());
    expect(await (await connected(empty)).refused('status')).toMatchObject({ code: 'not-found' });
    expect(existsSync(empty.palace)).toBe(false);
  });

  it('a server works where the path of the socket would be too long, or its folder cannot be used', async () => {
    const env = await filled();
    env.env.XDG_RUNTIME_DIR = join(env.home, 'x'.repeat(100));
    await (await connected(env)).done('status');
    for (const command of ['status', 'ensure']) {
      const { stdout, stderr } = await env.run('mempalace', ['broker', command]);
      expect(stdout + stderr).toContain('the path of its socket would be longer than 100 bytes');
    }
    const { stdout } = await env.run('mempalace', ['doctor']);
    expect(stdout).toContain('the path of its socket would be longer than 100 bytes');
    const folder = join(env.home, 'r');
    env.project('r', { mempalace: 'a file' });
    chmodSync(folder, 0o700);
    env.env.XDG_RUNTIME_DIR = folder;
    await (await connected(env)).done('status');
    expect(existsSync(join(env.palace, 'broker.json'))).toBe(false);
  });
});

describe('mempalace broker', () => {
  it('ensure starts it once and prints its address; stop ends it; the next call starts it again', async () => {
    const env = await filled();
    const first = await env.run('mempalace', ['broker', 'ensure']);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toBe(brokerFile(env).socket);
    const [folder, socket] = [statSync(dirname(first.stdout)), statSync(first.stdout)];
    expect([folder.mode & 0o777, socket.mode & 0o777]).toEqual([0o700, 0o600]);
    expect(await env.run('mempalace', ['broker', 'ensure'])).toEqual(first);
    const client = await connected(env);
    await client.done('status');
    expect((await env.run('mempalace', ['broker', 'stop'])).stdout).toMatch(/^the broker ends/);
    for (let tries = 0; existsSync(join(env.palace, 'broker.json')) && tries < 100; tries += 1)
      await sleep(50);
    expect(await status(env)).toMatchObject({ running: false });
    await client.done('status');
    expect(await status(env)).toMatchObject({ running: true, clients: 1 });
  });

  it('has a socket 0600 in a folder 0700, without a umask', async () => {
    const env = await filled();
    const program = [process.execPath, ...env.argv('mempalace'), 'broker', 'ensure'];
    const options = { env: env.env, extendEnv: false };
    const { stdout } = await execa('sh', ['-c', 'umask 0; exec "$@"', 'sh', ...program], options);
    const modes = [dirname(stdout), stdout].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('is never ended by the process id in its record, which may be that of another program now', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    const { pid } = brokerFile(env);
    const other = spawn('sleep', ['1000']);
    const ended = once(other, 'exit');
    onTestFinished(() => void other.kill('SIGKILL'));
    const record = join(env.palace, 'broker.json');
    const nameOther = () => writeFileSync(record, JSON.stringify({ ...brokerFile(env), pid: other.pid }));
    nameOther();
    // The process that the request ends is the one behind the socket.
    expect((await env.run('mempalace', ['broker', 'stop'])).stdout).toContain(`process ${pid}`);
    await until(() => !isAlive(pid));
    await env.run('mempalace', ['broker', 'ensure']);
    const killed = killBroker(env) ?? 0;
    await until(() => !isAlive(killed));
    nameOther();
    expect(await status(env)).toMatchObject({ running: false });
    await env.run('mempalace', ['broker', 'stop']);
    await env.run('mempalace', ['broker', 'ensure']);
    // No other signal came first.
    other.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
  });

  it('is found at an address that the user names', async () => {
    const env = await filled();
    const { stdout: address } = await env.run('mempalace', ['broker', 'ensure']);
    const elsewhere = new TestEnv();
    elsewhere.env.MEMPALACE_BROKER = address;
    // Neither the palace nor the settings of this machine count.
    elsewhere.env.MEMPALACE_SEARCH_LIMIT = '7';
    elsewhere.project('.mempalace/palace', { 'palace.sqlite3': '' });
    expect((await (await connected(elsewhere)).done('status')).palace).toBe(env.palace);
  });

  it('takes the place of a socket and a record that a killed one left', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    killBroker(env);
    const stale = brokerFile(env);
    await sleep(100);
    expect(existsSync(stale.socket)).toBe(true);
    expect(await status(env)).toMatchObject({ running: false });
    await env.run('mempalace', ['broker', 'ensure']);
    expect(brokerFile(env).pid).not.toBe(stale.pid);
  });

  it('whose socket was removed, or whose palace has a newer schema, ends; the next one takes its place', async () => {
    const unreachable = await filled();
    const upgraded = copyOf(unreachable);
    for (const env of [unreachable, upgraded]) await env.run('mempalace', ['broker', 'ensure']);
    const pids = [unreachable, upgraded].map((env) => brokerFile(env).pid);
    rmSync(brokerFile(unreachable).socket);
    const palace = new Database(join(upgraded.palace, 'palace.sqlite3'));
    palace.pragma('user_version = 99');
    palace.close();
    await until(() => !pids.some(isAlive));
    await unreachable.run('mempalace', ['broker', 'ensure']);
    expect(await status(unreachable)).toMatchObject({ running: true });
    expect(existsSync(join(upgraded.palace, 'broker.json'))).toBe(false);
  });

  it('that cannot write its record ends, and agents work by themselves', async () => {
    const env = await filled();
    mkdirSync(join(env.palace, 'broker.json', 'x'), { recursive: true });
    expect(await env.run('mempalace', ['broker', 'ensure'])).toMatchObject({ exitCode: 1 });
    await (await connected(env)).done('status');
    const log = readFileSync(join(env.palace, 'broker.log'), 'utf8');
    const pids = [...log.matchAll(/broker run\[(\d+)\]/g)].map(([, pid]) => Number(pid));
    for (let tries = 0; pids.some(isAlive) && tries < 200; tries += 1) await sleep(50);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('that is stopped is named, and does not hold up commands', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    const { pid } = brokerFile(env);
    process.kill(pid, 'SIGSTOP');
    // Each waits for an answer first.
    const [shown, stopped, doctor, search] = await Promise.all(
      [['broker', 'status'], ['broker', 'stop'], ['doctor'], ['search', 'lamps']].map((args) =>
        env.run('mempalace', args),
      ),
    );
    for (const outcome of [shown, stopped])
      expect(outcome).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`(process ${pid}) does not answer`),
      });
    expect(doctor?.stdout).toMatch(new RegExp(`^warn +broker +process ${pid} does not answer`, 'm'));
    expect(search).toMatchObject({ exitCode: 0 });
  });

  it('that answers the hello and nothing else does not hold up commands', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    const { socket } = brokerFile(env);
    killBroker(env);
    await sleep(100);
    rmSync(socket);
    const deaf = createServer((stream) => {
      stream.on('error', () => {});
      stream.once('data', () => stream.write('{"mempalace":1,"ok":true,"version":"0","writes":[]}\n'));
    });
    await new Promise<void>((resolve) => void deaf.listen(socket, resolve));
    const [found, named] = await Promise.all(
      ['auto', socket].map((use) => env.run('mempalace', ['search', 'lamps'], { MEMPALACE_BROKER: use })),
    );
    expect(found).toMatchObject({ exitCode: 0 });
    expect(named).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('does not answer') });
    deaf.close();
  });

  it('ends without clients after broker.idle, and leaves nothing', async () => {
    const env = await filled();
    env.env.MEMPALACE_BROKER_IDLE = '1s';
    await env.run('mempalace', ['broker', 'ensure']);
    const { socket, pid } = brokerFile(env);
    await until(() => !existsSync(socket) && !existsSync(join(env.palace, 'broker.json')));
    await until(() => !isAlive(pid));
  });

  it('that was told to stay does not end without clients', async () => {
    const stays = await filled();
    const leaves = copyOf(stays);
    for (const env of [stays, leaves]) env.env.MEMPALACE_BROKER_IDLE = '1s';
    const service = stays.start('mempalace', ['broker', 'run', '--stay']);
    const isThere = () => existsSync(join(stays.palace, 'broker.json'));
    for (let tries = 0; !isThere() && tries < 200; tries += 1) await sleep(50);
    // It began earlier, so its time would be over, too.
    expect((await leaves.spawn('mempalace', ['broker', 'run'])).exitCode).toBe(0);
    expect(await status(stays)).toMatchObject({ running: true, pid: service.pid });
    service.kill('SIGTERM');
    expect((await service).exitCode).toBe(0);
  });

  it('that was told to stay takes the place of one that an agent has started, whose agents lose nothing', async () => {
    const env = await filled();
    const attached = await connected(env);
    await attached.done('status');
    const { pid } = brokerFile(env);
    const service = env.start('mempalace', ['broker', 'run', '--stay']);
    await until(() => existsSync(join(env.palace, 'broker.json')) && brokerFile(env).pid === service.pid);
    await attached.done('add_drawer', {
      wing: 'notes',
      room: 'decisions',
      content: 'The old one serves on.',
    });
    const fresh = await connected(env);
    expect(JSON.stringify(await fresh.done('search', { query: 'serves on' }))).toContain('The old one');
    expect(await status(env)).toMatchObject({ pid: service.pid, clients: 1 });
    await attached.client.close();
    await until(() => !isAlive(pid));
    service.kill('SIGTERM');
    expect((await service).exitCode).toBe(0);
  });

  it('of two that were told to stay the second waits, and takes over when the first ends', async () => {
    const env = await filled();
    const pidOf = () => (existsSync(join(env.palace, 'broker.json')) ? brokerFile(env).pid : 0);
    const first = env.start('mempalace', ['broker', 'run', '--stay']);
    await until(() => pidOf() === first.pid);
    const log = join(env.home, 'second.log');
    const second = env.start('mempalace', ['broker', 'run', '--stay', '--log-file', log]);
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('does not make room'));
    expect(pidOf()).toBe(first.pid);
    first.kill('SIGKILL');
    await until(() => pidOf() === second.pid);
    expect(await status(env)).toMatchObject({ running: true, pid: second.pid });
    // A newer build takes its place: the manager of services starts it again.
    expect(await say(brokerFile(env).socket, { kind: 'retire', version: '99.0.0' })).toMatchObject({
      ok: true,
    });
    const { exitCode, stderr } = await second;
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('has taken the place of this one')]);
  });

  it('that waits for its turn ends without an error when it is asked to', async () => {
    const env = await filled();
    const first = env.start('mempalace', ['broker', 'run', '--stay']);
    await until(() => existsSync(join(env.palace, 'broker.json')));
    const log = join(env.home, 'second.log');
    const second = env.start('mempalace', ['broker', 'run', '--stay', '--log-file', log]);
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('does not make room'));
    second.kill('SIGTERM');
    expect((await second).exitCode).toBe(0);
    first.kill('SIGTERM');
    await first;
  });

  it('in the foreground says that there is one already', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    const second = await env.spawn('mempalace', ['broker', 'run']);
    expect(second).toMatchObject({ exitCode: 0, stderr: 'this palace has a broker already' });
  });
});

describe('a client', () => {
  it('that is no program of this toolkit is refused', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    const { socket } = brokerFile(env);
    const answer = await new Promise<string>((resolve) => {
      const client = createConnection(socket, () => client.write('GET / HTTP/1.1\r\n\r\n'));
      client.once('data', (data) => resolve(String(data)));
    });
    expect(JSON.parse(answer)).toMatchObject({ ok: false, reason: expect.stringContaining('not a client') });
  });

  it('whose stdin ends gets all answers', async () => {
    const env = await filled();
    const server = new RawServer(env);
    await server.open();
    for (const id of [1, 2, 3])
      server.send({ id, method: 'tools/call', params: { name: 'mempalace_status', arguments: {} } });
    server.process.stdin.end();
    expect(await server.ended).toBe(0);
    // In any order: they are read in threads.
    expect(new Set(server.messages.map(({ id }) => id))).toEqual(new Set(['open', 1, 2, 3]));
  });
});

describe('a broker of another machine', () => {
  it('is reached by ssh, and never replaced by the palace of this machine', async () => {
    const env = await filled();
    const elsewhere = new TestEnv();
    // In place of ssh: the other machine is the other HOME.
    const bin = elsewhere.project('bin', {
      ssh: `#!/bin/sh\n[ "$4" = ssh://host ] || exit 255\nHOME='${env.home}' PATH='${ROOT}/bin':$PATH MEMPALACE_BROKER=auto exec sh -c "$5"\n`,
    });
    chmodSync(join(bin, 'ssh'), 0o755);
    elsewhere.env.PATH = `${bin}:${elsewhere.env.PATH}`;
    elsewhere.env.MEMPALACE_BROKER = 'ssh://host';
    const client = await connected(elsewhere, ['--agent', "O'Hara"]);
    expect((await client.done('status')).palace).toBe(env.palace);
    await client.done('add_drawer', { wing: 'notes', room: 'decisions', content: 'Filed from elsewhere.' });
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain(`"agent":"O'Hara"`);
    elsewhere.env.MEMPALACE_BROKER = 'ssh://nowhere';
    const gone = new RawServer(elsewhere);
    gone.send({ id: 1, method: 'tools/list' });
    expect(await gone.ended).toBe(1);
    expect(gone.stderr).toContain('the broker at ssh://nowhere cannot be reached');
    expect(existsSync(elsewhere.palace)).toBe(false);
    const overSsh = await elsewhere.run('mempalace', ['search', 'x']);
    expect(overSsh.stderr).toContain('the broker at ssh://nowhere cannot be reached');
    for (const [use, code] of [
      [join(elsewhere.home, 'no.sock'), 'unreachable'],
      ['nonsense', 'config'],
    ] as const) {
      const outcome = await elsewhere.run('mempalace', ['search', 'x', '--json'], { MEMPALACE_BROKER: use });
      expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code } });
    }
  });
});

describe('builds', () => {
  it('an older broker makes room for a newer one, and a newer one stays', async () => {
    const env = await filled();
    const client = await connected(env);
    await client.done('status');
    const { socket, ...record } = brokerFile(env);
    // A running broker of another build, as its record and its answers show it.
    for (const [version, answers] of [
      ['0.0.1', ['retire']],
      ['9.0.0', ['status']],
    ] as const) {
      const asked: string[] = [];
      const elsewhere = `${socket}.${version}`;
      const other = createServer((stream) => {
        stream.once('data', (data) => {
          asked.push(JSON.parse(String(data)).kind);
          stream.end(`${JSON.stringify({ mempalace: 1, ok: true, version, writes: [] })}\n`);
        });
      });
      await new Promise<void>((resolve) => void other.listen(elsewhere, resolve));
      killBroker(env);
      await sleep(100);
      const file = {
        ...record,
        v: 1,
        host: hostOf(env),
        version,
        build: 'other',
        builtMs: 0,
        socket: elsewhere,
      };
      writeFileSync(join(env.palace, 'broker.json'), JSON.stringify(file));
      // Served by a new broker, or by itself.
      await (await connected(env)).done('status');
      expect(asked).toEqual(answers);
      expect(brokerFile(env).socket).toBe(version === '9.0.0' ? elsewhere : socket);
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

describe('a broker that ends', () => {
  it('by SIGTERM answers open calls, leaves nothing, and agents go on with another', async () => {
    const env = await filled();
    const client = await connected(env);
    await warmed(client);
    const { pid, socket } = brokerFile(env);
    const open = Promise.all([1, 2, 3].map(() => client.done('search', { query: 'lamps' })));
    await sleep(20);
    process.kill(pid, 'SIGTERM');
    expect((await open).map(({ results }) => (results as unknown[]).length > 0)).toEqual([true, true, true]);
    for (let tries = 0; isAlive(pid) && tries < 200; tries += 1) await sleep(50);
    expect([isAlive(pid), existsSync(socket), existsSync(join(env.palace, 'broker.json'))]).toEqual([
      false,
      false,
      false,
    ]);
    await client.done('status');
    expect(brokerFile(env).pid).not.toBe(pid);
  });

  it('for a newer build serves its agents on, and lets the new one in at once', async () => {
    const env = await filled();
    const attached = await connected(env);
    await attached.done('status');
    const { pid, socket } = brokerFile(env);
    expect(await say(socket, { kind: 'retire', version: '0.0.1' })).toMatchObject({ ok: false });
    expect(await say(socket, { kind: 'retire', version: '99.0.0' })).toMatchObject({ ok: true, pid });
    expect(existsSync(join(env.palace, 'broker.json'))).toBe(false);
    const fresh = await connected(env);
    await fresh.done('status');
    const next = brokerFile(env).pid;
    expect(next).not.toBe(pid);
    const draft = { wing: 'notes', room: 'decisions', content: 'Both brokers write.' };
    await attached.done('add_drawer', draft);
    expect(await fresh.done('add_drawer', draft)).toMatchObject({ reason: 'already_exists' });
    expect(isAlive(pid)).toBe(true);
    await attached.client.close();
    for (let tries = 0; isAlive(pid) && tries < 200; tries += 1) await sleep(50);
    expect([isAlive(pid), isAlive(next)]).toEqual([false, true]);
  });
});

async function anyDrawer(env: TestEnv): Promise<string> {
  const { hits } = await env.json('mempalace', ['search', 'lamps']);
  return (hits as { drawer_id: string }[])[0]?.drawer_id ?? '';
}

/** Waits for what happens soon. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 400; tries += 1) await sleep(50);
  expect(isSo()).toBe(true);
}

/** All texts of an answer: notes of the relay follow that of the tool. */
async function textsOf({ client }: Connected): Promise<string[]> {
  const { content } = await client.callTool({ name: 'mempalace_status', arguments: {} });
  return content.map((part) => (part.type === 'text' ? part.text : ''));
}

/** The answer to a hello. */
function say(socket: string, hello: Record<string, unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = createConnection(socket, () =>
      stream.write(`${JSON.stringify({ mempalace: 1, build: 'x', builtMs: 0, ...hello })}\n`),
    );
    stream.once('data', (data) => resolve(JSON.parse(String(data))));
    stream.once('error', reject);
  });
}

function hostOf(env: TestEnv): string {
  return JSON.parse(readFileSync(join(env.palace, 'broker.json'), 'utf8')).host;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
