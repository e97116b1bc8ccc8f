import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokerFile, withBroker } from '../support/broker.js';
import { connected, warmed } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

const machine = filledMachine();

async function filled(): Promise<TestEnv> {
  return withBroker((await machine()).env);
}

const status = (env: TestEnv) => env.json('mempalace', ['broker', 'status']);
const draft = (content: string) => ({ wing: 'notes', room: 'decisions', content });

describe('beside a broker with agents', () => {
  it.each([
    ['repair', ['repair', '--yes']],
    ['reembed', ['reembed', '--force']],
  ])('%s runs, and the agents search and write on', async (name, command) => {
    const env = await filled();
    const [one, other] = [await connected(env), await connected(env)];
    await warmed(one);
    const { pid } = brokerFile(env);
    let isDone = false;
    const use = async (client: typeof one, writer: number): Promise<number> => {
      let written = 0;
      for (; !isDone || written === 0; written += 1) {
        const found = await client.done('search', { query: 'lamps' });
        expect((found.results as unknown[]).length).toBeGreaterThan(0);
        await client.done('add_drawer', draft(`Written during ${name}: ${writer}, ${written}.`));
      }
      return written;
    };
    const running = env.json('mempalace', command).finally(() => {
      isDone = true;
    });
    const [first, second] = await Promise.all([use(one, 1), use(other, 2), running]);
    const { notes } = await other.done('search', { query: 'lamps' });
    expect(notes).toEqual([]);
    const { wings } = (await env.json('mempalace', ['status'])) as {
      wings?: { wing: string; drawers: number }[];
    };
    expect(wings).toContainEqual(expect.objectContaining({ wing: 'notes', drawers: first + second }));
    expect(await status(env)).toMatchObject({ running: true, pid, clients: 2 });
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

describe('a palace', () => {
  it('that is reached through a link has one broker', async () => {
    const env = await filled();
    const one = await connected(env);
    await one.done('status');
    const link = join(env.home, 'link');
    symlinkSync(env.palace, link);
    env.env.MEMPALACE_PALACE_PATH = link;
    await (await connected(env)).done('add_drawer', draft('Written through a link.'));
    expect(await status(env)).toMatchObject({ running: true, clients: 2 });
    expect(await one.done('add_drawer', draft('Written through a link.'))).toMatchObject({
      reason: 'already_exists',
    });
  });

  it('of two HOMEs has the broker of the first; the other works by itself, unless it names that broker', async () => {
    const env = await filled();
    const one = await connected(env);
    await one.done('status');
    const { pid, socket } = brokerFile(env);
    const other = new TestEnv();
    other.env.MEMPALACE_BROKER = 'auto';
    other.env.MEMPALACE_PALACE_PATH = env.palace;
    const { client } = await connected(other);
    const arguments_ = draft('Written from the other HOME.');
    const answer = await client.callTool({ name: 'mempalace_add_drawer', arguments: arguments_ });
    expect(JSON.stringify(answer.content)).toMatch(
      /other settings than the broker: .*home folder.*; this server works/,
    );
    expect(await one.done('add_drawer', draft('Written from the other HOME.'))).toMatchObject({
      reason: 'already_exists',
    });
    expect(await status(other)).toMatchObject({ running: true, pid, clients: 1 });
    // Its address serves every HOME that names it.
    const ensured = await other.run('mempalace', ['broker', 'ensure']);
    expect(ensured).toEqual({ exitCode: 0, stdout: socket, stderr: '' });
    other.env.MEMPALACE_BROKER = ensured.stdout;
    await (await connected(other)).done('status');
    expect(await status(env)).toMatchObject({ pid, clients: 2 });
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('whose broker.json is damaged, or names what is not a broker, gets a new one', async () => {
    const env = await filled();
    const record = {
      v: 1,
      host: 'x',
      pid: 1,
      socket: join(env.home, 'no.sock'),
      version: '0.0.1',
      build: 'b',
    };
    for (const text of ['{', '{"v":2}', JSON.stringify(record)]) {
      writeFileSync(join(env.palace, 'broker.json'), text);
      const client = await connected(env);
      await client.done('status');
      expect(await status(env)).toMatchObject({ running: true, clients: 1 });
      await client.client.close();
      await env.run('mempalace', ['broker', 'stop']);
      await expect
        .poll(async () => (await env.run('mempalace', ['broker', 'status'])).stdout)
        .toContain('no broker runs');
    }
  });
});
