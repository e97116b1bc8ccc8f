import { cpSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { brokerFile, killBroker, withBroker } from '../support/broker.js';
import { clockOffBy } from '../support/impatient.js';
import { type Connected, connected } from '../support/mcp-client.js';
import { DAY_MS } from '../support/opencode-database.js';
import { withVersion } from '../support/other-build.js';
import { filledMachine } from '../support/real-palace.js';
import { canMount, expectClear, mountSmall, unmount } from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { times } from '../support/thorough.js';

const machine = filledMachine();
/** As in src/broker/broker.ts. */
const MOST_CLIENTS = 500;
const CLIENTS = times(520, 1_000);

async function filled(): Promise<TestEnv> {
  return withBroker((await machine()).env);
}

const status = (env: TestEnv) => env.json('mempalace', ['broker', 'status']);
const fact = (subject: string) => ({ subject, predicate: 'nests', object: 'here' });

async function subjectsOf(env: TestEnv): Promise<string[]> {
  const { facts } = await env.json('mempalace', ['kg', 'query', 'here', '--limit', '1000000']);
  return (facts as { subject: string }[]).map(({ subject }) => subject).sort();
}

/** Fills the disk of a folder. @returns frees it */
function fill(folder: string): () => void {
  const file = join(folder, 'filler');
  const { bfree, bsize } = statfsSync(folder);
  writeFileSync(file, Buffer.alloc(bfree * bsize));
  return () => rmSync(file);
}

describe.skipIf(!canMount)('a full disk (skipped where none can be mounted)', () => {
  it('under the socket: agents work by themselves, and have a broker when there is room', async () => {
    const env = await filled();
    const folder = join(env.home, 'run');
    mountSmall(folder, 64);
    onTestFinished(() => unmount(folder));
    env.env.XDG_RUNTIME_DIR = folder;
    const free = fill(folder);
    const one = await connected(env);
    await one.done('kg_add', fact('heron'));
    expectClear(await env.run('mempalace', ['broker', 'ensure']));
    free();
    const other = await connected(env);
    await other.done('kg_add', fact('stork'));
    expect(await status(env)).toMatchObject({ running: true, clients: 1 });
    expect(await subjectsOf(env)).toEqual(['heron', 'stork']);
    killBroker(env);
  });

  it('under the palace: reads are answered, writes are refused, nothing is lost, and all go on', async () => {
    const env = await filled();
    const copy = join(env.home, 'copy');
    cpSync(env.palace, copy, { recursive: true });
    mountSmall(env.palace, 20_000);
    onTestFinished(() => {
      killBroker(env);
      unmount(env.palace);
    });
    cpSync(copy, env.palace, { recursive: true });
    const client = await connected(env);
    await client.done('kg_add', fact('heron'));
    const { pid } = brokerFile(env);
    const free = fill(env.palace);
    const refused: unknown[] = [];
    // The log of SQLite has some room left from before.
    for (let n = 0; n < 2_000 && refused.length < 3; n += 1) {
      const answer = await client.call('kg_add', fact(`stork ${n} ${'x'.repeat(400)}`));
      if (answer.isError) refused.push(answer.result);
    }
    expect(refused).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ code: 'failed', error: expect.stringMatching(/full/) })),
    );
    expect((await client.done('status')).total_drawers).toBeGreaterThan(0);
    expect(await status(env)).toMatchObject({ running: true, pid, clients: 1 });
    // The record of the next broker has no room.
    killBroker(env);
    expect((await client.done('status')).total_drawers).toBeGreaterThan(0);
    free();
    await client.done('kg_add', fact('crane'));
    await (await connected(env)).done('kg_add', fact('ibis'));
    expect(await status(env)).toMatchObject({ running: true });
    const subjects = await subjectsOf(env);
    expect(subjects).toEqual(expect.arrayContaining(['crane', 'heron', 'ibis']));
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

describe('two versions at once', () => {
  it('serve their agents side by side until the old ones leave; no write is lost or made twice', async () => {
    const env = await filled();
    const newer = withVersion('99.0.0', env);
    const old = [await connected(env), await connected(env)];
    await Promise.all(old.map((client) => client.done('status')));
    const { pid } = brokerFile(env);
    let started = 0;
    const write = async (client: Connected, writer: string): Promise<string[]> => {
      const subjects: string[] = [];
      // Before, during and after the change.
      for (let n = 0; n < 10 || (writer.startsWith('old') && started < 2); n += 1) {
        const subject = `${writer} ${n}`;
        await client.done('kg_add', fact(subject));
        subjects.push(subject);
      }
      return subjects;
    };
    const startNew = async (writer: string): Promise<string[]> => {
      const client = await connected(newer);
      await client.done('status');
      started += 1;
      return write(client, writer);
    };
    const written = await Promise.all([
      ...old.map((client, at) => write(client, `old ${at}`)),
      startNew('new 0'),
      startNew('new 1'),
    ]);
    expect(await subjectsOf(env)).toEqual(written.flat().sort());
    expect(brokerFile(env)).toMatchObject({ version: '99.0.0' });
    const next = brokerFile(env).pid;
    expect([next === pid, isAlive(pid), isAlive(next)]).toEqual([false, true, true]);
    // An agent of the old version works by itself, and does not disturb.
    await (await connected(env)).done('kg_add', fact('late'));
    expect(brokerFile(env).pid).toBe(next);
    for (const { client } of old) await client.close();
    while (isAlive(pid)) await sleep(50);
    expect(isAlive(next)).toBe(true);
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

describe.each([3, -3])('a clock that was off by %i days when the broker started', (days) => {
  it('does not matter to its agents, nor to the next broker', async () => {
    const env = await filled();
    await env.spawn('mempalace', ['broker', 'ensure'], clockOffBy(days * DAY_MS));
    const { pid } = brokerFile(env);
    const client = await connected(env);
    await client.done('kg_add', fact('heron'));
    const { started, ...served } = await status(env);
    expect(served).toMatchObject({ running: true, pid, clients: 1 });
    expect(Math.round((Date.parse(String(started)) - Date.now()) / DAY_MS)).toBe(days);
    expect((await env.run('mempalace', ['broker', 'stop'])).exitCode).toBe(0);
    await client.done('kg_add', fact('stork'));
    expect(brokerFile(env).pid).not.toBe(pid);
    expect(await status(env)).toMatchObject({ running: true, clients: 1 });
    expect(await subjectsOf(env)).toEqual(['heron', 'stork']);
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

describe('a broker that is stopped for longer than every time limit', () => {
  it('is given up: reads are answered without it, and a write is not repeated', async () => {
    const env = await filled();
    env.env.MEMPALACE_MCP_RESPAWN_BACKOFF_MS = '10';
    const [reader, writer] = [
      await connected(env, ['--timeout', '1s']),
      await connected(env, ['--timeout', '1s']),
    ];
    for (const client of [reader, writer]) await client.done('status');
    const { pid } = brokerFile(env);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void killBroker(env));
    const [read, written] = await Promise.all([reader.done('status'), writer.call('kg_add', fact('heron'))]);
    expect(read.total_drawers).toBeGreaterThan(0);
    expect(written).toMatchObject({ isError: true, result: { code: 'interrupted' } });
    process.kill(pid, 'SIGCONT');
    await expect.poll(() => subjectsOf(env)).toEqual(['heron']);
    await (await connected(env)).done('kg_add', fact('stork'));
    expect(await status(env)).toMatchObject({ running: true, pid });
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

describe('more clients than a broker takes', () => {
  it('are refused with a reason, and an agent among them works by itself', async () => {
    const env = await filled();
    await env.run('mempalace', ['broker', 'ensure']);
    const { socket, pid } = brokerFile(env);
    const answers = await Promise.all(Array.from({ length: CLIENTS }, () => greeted(socket)));
    const refused = answers.filter(({ reply }) => !reply.ok);
    expect(refused).toHaveLength(CLIENTS - MOST_CLIENTS);
    expect(refused[0]?.reply.reason).toBe(`it has ${MOST_CLIENTS} clients`);
    await (await connected(env)).done('kg_add', fact('heron'));
    for (const { stream } of answers) stream.destroy();
    await expect.poll(async () => (await status(env)).clients, { timeout: 20_000 }).toBe(0);
    await (await connected(env)).done('kg_add', fact('stork'));
    expect(await status(env)).toMatchObject({ pid, clients: 1 });
  });
});

/** A connection with a hello, and the answer to it. Tries again while the queue of the socket is full. */
function greeted(path: string): Promise<{ stream: Socket; reply: { ok: boolean; reason?: string } }> {
  return new Promise((resolve, reject) => {
    const stream = createConnection(path);
    onTestFinished(() => void stream.destroy());
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EAGAIN') setTimeout(() => greeted(path).then(resolve, reject), 50);
      else reject(error);
    });
    stream.on('end', () => reject(new Error('closed without an answer')));
    const hello = { mempalace: 1, kind: 'mcp', version: '0', build: '0', builtMs: 0 };
    stream.write(`${JSON.stringify(hello)}\n`);
    stream.once('data', (data) => resolve({ stream, reply: JSON.parse(String(data)) }));
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
