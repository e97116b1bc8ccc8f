import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Palace } from '../../src/store/index.js';
import { brokerFile, killBroker, withBroker } from '../support/broker.js';
import { type Container, canContain, container, networkOf } from '../support/container.js';
import { type Connected, connected } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { served } from '../support/served.js';
import { canMountFuse, sharedFolder } from '../support/shared-folder.js';
import { problemsOf } from '../support/soundness.js';
import { canServeSsh, reachable } from '../support/sshd.js';
import { TestEnv } from '../support/test-env.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HTTP_CALLS = join(ROOT, 'test/support/http-calls.mjs');

const machine = filledMachine();

async function filled(): Promise<TestEnv> {
  return withBroker((await machine()).env);
}

const draft = (content: string) => ({ wing: 'notes', room: 'decisions', content });
const hostOf = (palace: string): string => JSON.parse(readFileSync(join(palace, 'broker.json'), 'utf8')).host;

/** A HOME of its own, with the palace of another as its volume. */
function withVolume(palace: string): TestEnv {
  const env = new TestEnv();
  env.env.MEMPALACE_BROKER = 'auto';
  env.env.MEMPALACE_PALACE_PATH = palace;
  return env;
}

const statusIn = ({ run }: Container, env: TestEnv): Record<string, unknown> => {
  const variables = Object.entries(env.env).map(([name, value]) => `${name}=${value}`);
  const program = [process.execPath, ...env.argv('mempalace')];
  return JSON.parse(run('env', '-i', ...variables, ...program, 'broker', 'status', '--json'));
};

describe.skipIf(!canContain)('a container (needs root and unshare)', () => {
  it('alone has a broker of its own; the next one, and the host, take its place after a kill', async () => {
    const env = await filled();
    const box = await container('box');
    const [one, other] = [
      await connected(env, [], { within: box.within }),
      await connected(env, [], { within: box.within }),
    ];
    await one.done('add_drawer', draft('Written in the first container.'));
    await other.done('status');
    expect([hostOf(env.palace), statusIn(box, env)]).toEqual([
      'box',
      expect.objectContaining({ running: true, clients: 2 }),
    ]);
    await box.kill();
    const next = await container('next');
    await (await connected(env, [], { within: next.within })).done('status');
    expect([hostOf(env.palace), statusIn(next, env)]).toEqual([
      'next',
      expect.objectContaining({ running: true, clients: 1 }),
    ]);
    await next.kill();
    expect((await env.run('mempalace', ['doctor'])).stdout).toContain('the last one was killed');
    const here = await connected(env);
    expect(await here.done('add_drawer', draft('Written in the first container.'))).toMatchObject({
      reason: 'already_exists',
    });
    expect([hostOf(env.palace), brokerFile(env).pid]).not.toContain('next');
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true, clients: 1 });
  });

  it('beside the host, on one file system: the broker of the host stays, and both write', async () => {
    const env = await filled();
    const here = await connected(env);
    await here.done('status');
    const box = await container('box');
    const there = await connected(withVolume(env.palace), [], { within: box.within });
    await there.done('add_drawer', draft('Written beside the host.'));
    expect(await here.done('add_drawer', draft('Written beside the host.'))).toMatchObject({
      reason: 'already_exists',
    });
    expect(hostOf(env.palace)).toBe(hostname());
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true, clients: 1 });
  });

  it('beside the host: both write while the broker is killed twice; nothing is lost or made twice', async () => {
    const env = await filled();
    const here = await connected(env);
    const box = await container('box');
    const there = await connected(withVolume(env.palace), [], { within: box.within });
    const [acknowledged, killed]: [string[], unknown[]] = [[], []];
    const write = async (client: Connected, side: string): Promise<void> => {
      for (let n = 0; n < 25; n += 1) {
        const content = `Side ${side} says ${n}: the zebra crossed.`;
        const asked = client.call('add_drawer', { wing: 'storm', room: side, content });
        if (side === 'host' && (n === 8 || n === 16)) {
          expect(hostOf(env.palace)).toBe(hostname());
          killed.push(killBroker(env));
        }
        const { isError, result } = await asked;
        if (!isError) acknowledged.push(content);
        else expect(result).toMatchObject({ code: 'interrupted' });
      }
    };
    await Promise.all([write(here, 'host'), write(there, 'box')]);
    expect(killed).toEqual([expect.any(Number), expect.any(Number)]);
    expect(killed[0]).not.toBe(killed[1]);
    // Only what was open when the broker was killed may be in doubt.
    expect(acknowledged.length).toBeGreaterThanOrEqual(48);
    const filed = Palace.look(env.palace, ({ listing }) =>
      listing.drawers({ wing: 'storm' }, { limit: 1_000, offset: 0 }).map(({ text }) => text.trim()),
    );
    expect(new Set(filed).size).toBe(filed.length);
    expect(filed).toEqual(expect.arrayContaining(acknowledged));
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('reaches the host by TCP, with a token, and not without; it does not see the files', async () => {
    const env = await filled();
    const box = await container('box');
    const address = networkOf(box);
    const token = String((await env.json('mempalace', ['serve', 'token', 'add', 'box'])).token);
    const loopback = await served(env);
    const hosts = join(new TestEnv().home, 'hosts');
    writeFileSync(hosts, `${address} host.docker.internal\n`);
    box.run('mount', '--bind', hosts, '/etc/hosts');
    box.run('mount', '-t', 'tmpfs', 'none', env.home);
    const call = (port: string, given: string, ...calls: string[]): unknown[] =>
      JSON.parse(
        box.run(process.execPath, HTTP_CALLS, `http://host.docker.internal:${port}/mcp`, given, ...calls),
      );
    const portOf = (url: string): string => new URL(url).port;
    // What listens on loopback is not reached.
    expect(call(portOf(loopback.url), token)).toEqual([expect.stringContaining('fetch failed')]);
    await loopback.stop();
    const args = ['--host', address, '--allow-host', 'host.docker.internal'];
    const { url, printed, stop } = await served(env, args);
    await expect.poll(printed).toContain('not encrypted');
    const text = draft('Written over TCP.');
    const write = ['mempalace_add_drawer', JSON.stringify(text)];
    expect(call(portOf(url), token, 'mempalace_status', '{}', ...write)).toEqual([
      expect.objectContaining({ palace: env.palace }),
      expect.objectContaining({ success: true }),
    ]);
    expect(call(portOf(url), `${token}x`)).toEqual([expect.stringContaining('invalid_token')]);
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain('"agent":"box"');
    await stop();
    const strict = await served(env, ['--host', address]);
    expect(call(portOf(strict.url), token)).toEqual([expect.stringContaining('Invalid Host')]);
  });
});

describe.skipIf(!canContain || !canMountFuse())(
  'a palace on a shared file system (needs root, unshare and bindfs)',
  () => {
    it('is not written beside the broker of another machine; the error names the way', async () => {
      const env = await filled();
      const { behind, mounted } = sharedFolder();
      execFileSync('cp', ['-a', `${env.palace}/.`, join(behind, 'palace')]);
      const far = await container('far');
      const owner = withVolume(join(behind, 'palace'));
      const agent = await connected(owner, [], { within: far.within });
      await agent.done('add_drawer', draft('Written where the files are.'));
      expect(hostOf(join(mounted, 'palace'))).toBe('far');
      const near = withVolume(join(mounted, 'palace'));
      const text = near.project('doc', { 'a.md': '# A\n\nA document of the other side.\n' });
      const refused =
        /the palace is in a shared folder, and the broker on far \(process \d+, since \S+\) writes it/;
      for (const [program, ...args] of [
        ['mempalace-docs', text],
        ['mempalace', 'diary', 'write', '--agent', 'ada', 'No.'],
        ['mempalace', 'serve', '--port', '0'],
        ['mempalace', 'broker', 'run'],
      ] as const) {
        const { exitCode, stderr } = await near.spawn(program, args);
        expect([program, args, exitCode, stderr]).toEqual([
          program,
          args,
          11,
          expect.stringMatching(refused),
        ]);
        expect(stderr).toContain('MEMPALACE_BROKER=ssh://far');
      }
      const ensured = await near.run('mempalace', ['broker', 'ensure']);
      expect(ensured).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('a broker on far') });
      const reader = await connected(near);
      expect(await reader.refused('add_drawer', draft('No.'))).toMatchObject({ code: 'locked' });
      expect((await near.run('mempalace', ['search', 'lamps'])).exitCode).toBe(0);
      expect(hostOf(join(behind, 'palace'))).toBe('far');
      // It was killed with its machine: its file does not change any more.
      await far.kill();
      expect((await near.spawn('mempalace-docs', [text, '--wait', '0s'])).exitCode).toBe(11);
      expect((await near.spawn('mempalace-docs', [text, '--wait', '2m'])).exitCode).toBe(0);
    });
  },
);

describe.skipIf(!canServeSsh)('a real SSH server (needs root and openssh-server)', () => {
  it('MEMPALACE_BROKER=ssh://host: the palace of that machine, and its broker', async () => {
    const env = await filled();
    const elsewhere = new TestEnv();
    await reachable(elsewhere, env, join(ROOT, 'bin'));
    elsewhere.env.MEMPALACE_BROKER = 'ssh://host';
    const far = await connected(elsewhere, ['--agent', "O'Hara"]);
    expect((await far.done('status')).palace).toBe(env.palace);
    await far.done('add_drawer', draft('Written by SSH.'));
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain(`"agent":"O'Hara"`);
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true, clients: 1 });
    // The agent goes on when the broker of that machine is killed.
    killBroker(env);
    await far.done('status');
    await far.done('add_drawer', draft('Written by another broker.'));
    expect(existsSync(elsewhere.palace)).toBe(false);
  });

  it('the entry of a client in docs/remote.md: a process per agent, on the broker of that machine', async () => {
    const env = await filled();
    const elsewhere = new TestEnv();
    await reachable(elsewhere, env, join(ROOT, 'bin'));
    const page = readFileSync(join(ROOT, 'docs/remote.md'), 'utf8');
    const entry = JSON.parse(/^ {4}(\{ "command": "ssh".*\})$/m.exec(page)?.[1] ?? '');
    const client = new Client({ name: 'test-client', version: '1.2.3' });
    await client.connect(new StdioClientTransport({ ...entry, env: elsewhere.env, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    const name = 'mempalace_add_drawer';
    const answer = await client.callTool({ name, arguments: draft('Written by the entry of a client.') });
    expect(answer.structuredContent).toMatchObject({ success: true });
    expect(readFileSync(join(env.palace, 'write-log.jsonl'), 'utf8')).toContain('"agent":"ada"');
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true, clients: 1 });
    expect(existsSync(elsewhere.palace)).toBe(false);
  });

  it('a socket forwarded with ssh -L: as docs/remote.md says it', async () => {
    const env = await filled();
    const elsewhere = new TestEnv();
    await reachable(elsewhere, env, join(ROOT, 'bin'));
    const ssh = (...args: string[]) => ['ssh', args, { env: elsewhere.env }] as const;
    const socket = String(execFileSync(...ssh('host', 'mempalace', 'broker', 'ensure'))).trim();
    expect(socket).toBe(brokerFile(env).socket);
    const forwarded = join(elsewhere.home, 'forwarded.sock');
    const options = ['ExitOnForwardFailure=yes', 'StreamLocalBindMask=0177', 'StreamLocalBindUnlink=yes'];
    const flags = options.flatMap((option) => ['-o', option]);
    const tunnel = spawn(...ssh('-NT', ...flags, '-L', `${forwarded}:${socket}`, 'host'));
    onTestFinished(() => void tunnel.kill('SIGTERM'));
    while (!existsSync(forwarded)) await sleep(50);
    elsewhere.env.MEMPALACE_BROKER = forwarded;
    const far = await connected(elsewhere, ['--agent', 'guest']);
    await far.done('add_drawer', draft('Written through a tunnel.'));
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: true, clients: 1 });
    // Ended in order, it says so through the tunnel; the next one listens on the same socket.
    await env.run('mempalace', ['broker', 'stop']);
    const { stdout } = await env.run('mempalace', ['broker', 'ensure']);
    expect(stdout).toBe(socket);
    await far.done('add_drawer', draft('Written through the same tunnel.'));
    expect((await elsewhere.run('mempalace', ['search', 'lamps'])).exitCode).toBe(0);
  });
});
