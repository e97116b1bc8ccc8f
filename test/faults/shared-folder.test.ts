import { spawn } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Palace } from '../../src/store/index.js';
import { withBroker } from '../support/broker.js';
import { canContain, container } from '../support/container.js';
import { connected } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { canMountFuse, sharedFolder } from '../support/shared-folder.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { times } from '../support/thorough.js';

const machine = filledMachine();
const DOCUMENTS = times(100, 1_000);
const WAITED = { timeout: 60_000, interval: 20 };

interface Side {
  env: TestEnv;
  /** Begins the command line. */
  within: readonly string[];
  host: string;
}

/** A host with a folder on a local disk, and a virtual machine that has the folder by FUSE, where no lock passes. */
async function twoMachines(): Promise<{ palace: string; host: Side; guest: Side }> {
  const { env: first } = await machine();
  const { behind, mounted } = sharedFolder();
  cpSync(first.palace, join(behind, 'palace'), { recursive: true });
  const box = await container('box');
  const side = (folder: string, within: readonly string[], host: string): Side => {
    const env = withBroker(new TestEnv());
    env.env.MEMPALACE_PALACE_PATH = join(folder, 'palace');
    return { env, within, host };
  };
  return {
    palace: join(behind, 'palace'),
    host: side(behind, [], '\\S+'),
    guest: side(mounted, box.within, 'box'),
  };
}

interface Ended {
  code: number | null;
  stderr: string;
}

function program({ env, within }: Side, name: string, ...args: string[]): Promise<Ended> {
  const [command = '', ...rest] = [...within, process.execPath, ...env.argv(name), ...args];
  const child = spawn(command, rest, { env: env.env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr })));
}

/** An agent adds drawers until the signal aborts. */
async function adding(client: Awaited<ReturnType<typeof connected>>, signal: AbortSignal) {
  const [acknowledged, refused]: [string[], Record<string, unknown>[]] = [[], []];
  let firstMs: number | undefined;
  for (let n = 0; !signal.aborted; n += 1) {
    const content = `The agent says ${n}: the zebra crossed.`;
    const { isError, result } = await client.call('add_drawer', { wing: 'storm', room: 'a', content });
    firstMs ??= performance.now();
    if (isError) refused.push(result);
    else acknowledged.push(content);
    if (isError) await sleep(200);
  }
  await client.client.close();
  return { acknowledged, refused, firstMs };
}

const documents = (env: TestEnv): string =>
  env.project(
    'many',
    Object.fromEntries(
      Array.from({ length: DOCUMENTS }, (_, n) => [`d${n}.md`, `# D${n}\n\nHeron ${n} of ${n * 7}.\n`]),
    ),
  );

const sources = (palace: string): number => Palace.look(palace, ({ archive }) => archive.count(undefined));

const writersOf = (palace: string): string[] =>
  readdirSync(join(palace, 'writers')).filter((name) => !name.startsWith('last-'));

function textsIn(palace: string): string[] {
  return Palace.look(palace, ({ listing }) =>
    listing.drawers({ wing: 'storm' }, { limit: 100_000, offset: 0 }).map(({ text }) => text.trim()),
  );
}

describe.skipIf(!canContain || !canMountFuse())(
  'two kernels that share the folder of a palace (needs root, unshare and bindfs)',
  () => {
    it.each([
      ['a run of the guest, then an agent of the host', 'guest', 'host', 'run'],
      ['a run of the host, then an agent of the guest', 'host', 'guest', 'run'],
      ['an agent of the host, then a run of the guest', 'guest', 'host', 'agent'],
      ['an agent of the guest, then a run of the host', 'host', 'guest', 'agent'],
      ['a run of the guest and an agent of the host at once', 'guest', 'host', 'both'],
      ['a run of the host and an agent of the guest at once', 'host', 'guest', 'both'],
    ] as const)('%s: one writes, the other is told', async (_, runner, writer, first) => {
      const machines = await twoMachines();
      const { palace } = machines;
      const before = sources(palace);
      const [run, agent] = [machines[runner], machines[writer]];
      const folder = documents(run.env);
      const stop = new AbortController();
      // Starting it, and loading its model, may take longer than the run.
      const client = await connected(agent.env, [], { within: agent.within });
      await client.call('search', { query: 'a heron' });
      const running = first === 'agent' ? undefined : program(run, 'mempalace-docs', folder, '--wait', '1s');
      if (first === 'run') await vi.waitFor(() => expect(writersOf(palace)).not.toEqual([]), WAITED);
      const adds = adding(client, stop.signal);
      if (first === 'agent') await vi.waitFor(() => expect(textsIn(palace)).not.toEqual([]), WAITED);
      const { code, stderr } = await (running ?? program(run, 'mempalace-docs', folder));
      const endMs = performance.now();
      stop.abort();
      const { acknowledged, refused, firstMs = endMs } = await adds;
      expect(await program(agent, 'mempalace', 'broker', 'stop')).toMatchObject({ code: 0 });
      expect([0, 11]).toContain(code);
      const told = (side: Side) =>
        new RegExp(`in a shared folder, and .+ on ${side.host} \\(process \\d+, since`);
      if (code === 11) expect(stderr).toMatch(told(agent));
      for (const each of refused)
        expect(each).toMatchObject({ code: 'locked', error: expect.stringMatching(told(run)) });
      // Of two that begin together, the run may have ended before the agent is answered.
      const areApart = first !== 'agent' && firstMs >= endMs;
      if (first !== 'both') expect(code === 11 || refused.length > 0 || areApart).toBe(true);
      expect(problemsOf(palace)).toEqual([]);
      expect(textsIn(palace)).toEqual(expect.arrayContaining(acknowledged));
      if (code === 0) expect(sources(palace)).toBeGreaterThanOrEqual(before + DOCUMENTS);
    });

    it('reading on one side while the other writes harms nothing, and finds what is written', async () => {
      const { palace, host, guest } = await twoMachines();
      const folder = documents(host.env);
      const running = program(host, 'mempalace-docs', folder);
      let ended = false;
      void running.then(() => {
        ended = true;
      });
      let reads = 0;
      for (; !ended; reads += 1)
        expect(await program(guest, 'mempalace', 'search', 'heron')).toMatchObject({ code: 0 });
      expect(await running).toMatchObject({ code: 0 });
      expect(reads).toBeGreaterThan(0);
      expect(problemsOf(palace)).toEqual([]);
      expect(sources(palace)).toBeGreaterThanOrEqual(DOCUMENTS);
    });

    it('writing in turns: each sees what the other has written', async () => {
      const { palace, host, guest } = await twoMachines();
      const facts: string[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const side = turn % 2 === 0 ? guest : host;
        facts.push(`bird${turn}`);
        const add = ['kg', 'add', `bird${turn}`, 'nests', 'here'];
        expect(await program(side, 'mempalace', ...add)).toMatchObject({ code: 0 });
      }
      expect(problemsOf(palace)).toEqual([]);
      const found = Palace.look(palace, (open) => open.facts.all().map(({ subject }) => subject));
      expect(found).toEqual(expect.arrayContaining(facts));
      expect(readdirSync(join(palace, 'writers'))).toEqual([expect.stringMatching(/^last-/)]);
    });
  },
);
