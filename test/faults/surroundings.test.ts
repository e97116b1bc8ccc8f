import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect } from 'vitest';
import { removeFolder } from '../support/cleanups.js';
import { wordyDocument } from '../support/documents.js';
import { contentOf, expectSameRows } from '../support/drawers.js';
import { clockOffBy } from '../support/impatient.js';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import {
  canMount,
  expectClear,
  expectNoBug,
  mountSmall,
  remountReadonly,
  unmount,
} from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { random, times } from '../support/thorough.js';

const DAY_MS = 24 * 3_600_000;
const SESSIONS = fileURLToPath(new URL('../fixtures/opencode/opencode-1.2.27.db', import.meta.url));

const documents = (count: number, seed = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i}.md`, wordyDocument(seed + i)] as const));

/** The palace after one normal run is as one that nothing ever happened to. */
async function expectAsIfNothing(env: TestEnv, program: string, args: readonly string[]): Promise<void> {
  await env.json(program, args);
  expect(problemsOf(env.palace)).toEqual([]);
  const calm = join(env.home, `calm-${readdirSync(env.home).length}`);
  await env.json(program, [...args, '--palace', calm]);
  expectSameRows(contentOf(env.palace), contentOf(calm));
}

let mounted: string | undefined;
afterEach(() => {
  if (mounted === undefined) return;
  remountReadonly(mounted, false);
  unmount(mounted);
  mounted = undefined;
});

describe.skipIf(!canMount)('a file system that became read-only (skipped where none can be mounted)', () => {
  it('under the palace: writers are refused with a hint, and continue when it is writable', async ({
    env,
  }) => {
    const shop = env.project('shop', documents(3));
    mounted = join(env.home, '.mempalace');
    expect(mountSmall(mounted, 50_000)).toBe(true);
    await env.json('mempalace-docs', [shop]);
    env.edit(join(shop, 'd1.md'), wordyDocument(50));
    remountReadonly(mounted, true);
    const commands = [
      ['mempalace-docs', shop],
      ['mempalace', 'forget', '--wing', 'wing_shop', '--yes'],
      ['mempalace-session', '--db', SESSIONS],
      ['mempalace', 'repair', '--yes'],
      ['mempalace', 'reembed', '--force'],
    ] as const;
    for (const [program, ...args] of commands.slice(0, times(2, 5))) {
      const outcome = await env.spawn(program, args);
      expectClear(outcome);
      expect(outcome.stderr).toMatch(/\.mempalace/);
    }
    for (const args of [['search', 'w1'], ['status'], ['doctor']]) {
      const { exitCode, stderr } = await env.spawn('mempalace', args);
      expectNoBug(stderr);
      expect([0, 1]).toContain(exitCode);
    }
    remountReadonly(mounted, false);
    await expectAsIfNothing(env, 'mempalace-docs', [shop]);
  });

  it('under the cache: nothing is staged, nothing is lost', async ({ env }) => {
    const shop = env.project('shop', documents(3));
    mounted = env.cache;
    expect(mountSmall(mounted, 50_000)).toBe(true);
    await env.json('mempalace-docs', [shop]);
    env.edit(join(shop, 'd1.md'), wordyDocument(50));
    remountReadonly(mounted, true);
    expectClear(await env.spawn('mempalace-docs', [shop]));
    remountReadonly(mounted, false);
    await expectAsIfNothing(env, 'mempalace-docs', [shop]);
  });

  it('under opencode: a WAL without its -shm is named with a hint, and nothing filed is lost', async ({
    env,
  }) => {
    mounted = join(env.home, 'talks');
    expect(mountSmall(mounted, 50_000)).toBe(true);
    const path = join(mounted, 'opencode.db');
    const history = new OpencodeDatabase(path, { wal: true });
    history.addSession({ messages: exchange('Which port?', 'Port 8443.') });
    const args = ['--db', path, '--min-messages', '1'];
    await env.json('mempalace-session', args);
    const filed = contentOf(env.palace);
    // As if opencode had been killed and its -shm file were lost.
    copyFileSync(`${path}-wal`, join(env.home, 'wal'));
    copyFileSync(path, join(env.home, 'db'));
    history.close();
    copyFileSync(join(env.home, 'db'), path);
    copyFileSync(join(env.home, 'wal'), `${path}-wal`);
    rmSync(`${path}-shm`, { force: true });
    remountReadonly(mounted, true);
    const outcome = await env.spawn('mempalace-session', args);
    expectClear(outcome);
    expect(outcome.stderr).toContain('opencode.db-shm');
    expect(contentOf(env.palace)).toEqual(filed);
    remountReadonly(mounted, false);
    await env.json('mempalace-session', args);
    expect(contentOf(env.palace)).toEqual(filed);
  });
});

describe('the cache', () => {
  it(`can disappear at any moment of a run (${times(2, 30)} times)`, async ({ env }) => {
    const shop = env.project('shop', documents(20));
    const next = random(11);
    const started = performance.now();
    await env.json('mempalace-docs', [shop]);
    const whole = performance.now() - started;
    for (let round = 0; round < times(2, 30); round += 1) {
      for (const i of [1, 2, 3]) env.edit(join(shop, `d${i}.md`), wordyDocument(1_000 + round * 3 + i));
      const running = env.spawn('mempalace-docs', [shop, '--force']);
      await sleep(whole * next());
      removeFolder(env.cache);
      const outcome = await running;
      expectNoBug(outcome.stderr);
      expect([0, 1, 3], outcome.stderr).toContain(outcome.exitCode);
      if (outcome.exitCode === 1) expectClear(outcome);
      expect(problemsOf(env.palace)).toEqual([]);
      expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(20);
    }
    await expectAsIfNothing(env, 'mempalace-docs', [shop]);
  });
});

describe('documents that change while they are read', () => {
  it(`are filed in one consistent state, and in the latest state by the next run (${times(1, 15)} times)`, async ({
    env,
  }) => {
    const shop = env.project('shop', documents(30));
    const next = random(12);
    for (let round = 0; round < times(1, 15); round += 1) {
      let running = true;
      const run = env.spawn('mempalace-docs', [shop, '--force']).finally(() => {
        running = false;
      });
      for (let turn = 0; running; turn += 1) {
        const file = join(shop, `d${Math.floor(next() * 30)}.md`);
        if (turn % 5 === 0) rmSync(file, { force: true });
        else if (turn % 7 === 0) {
          env.edit(file, wordyDocument(turn));
          truncateSync(file, 40);
        } else env.edit(file, wordyDocument(turn) + wordyDocument(turn + 1));
        await sleep(3);
      }
      const { exitCode, stderr } = await run;
      expectNoBug(stderr);
      expect([0, 3], stderr).toContain(exitCode);
      expect(problemsOf(env.palace)).toEqual([]);
    }
    await expectAsIfNothing(env, 'mempalace-docs', [shop, '--allow-removals']);
  });
});

describe('a clock that is wrong', () => {
  it('by years, forward and back, does not change the filed drawers', async ({ env }) => {
    const shop = env.project('shop', documents(4));
    for (const [round, off] of [10 * 365 * DAY_MS, -10 * 365 * DAY_MS, -60 * 365 * DAY_MS, 0].entries()) {
      env.edit(join(shop, 'd1.md'), wordyDocument(100 + round));
      const { exitCode, stderr } = await env.spawn('mempalace-docs', [shop], clockOffBy(off));
      expect([off, exitCode, stderr]).toEqual([off, 0, expect.not.stringContaining('error')]);
      for (const args of [['doctor'], ['search', 'w1'], ['status'], ['list', 'runs']].slice(0, times(1, 4)))
        expectNoBug((await env.spawn('mempalace', args, clockOffBy(-off))).stderr);
      if (round === 1) await env.json('mempalace', ['reembed', '--force']);
    }
    await expectAsIfNothing(env, 'mempalace-docs', [shop]);
  });

  it('and is set back: --since skips no new session', async ({ env }) => {
    mkdirSync(join(env.home, '.local/share/opencode'), { recursive: true });
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({ id: 'ses_old', messages: exchange('an old question', 'an old answer') });
    const args = ['--min-messages', '1', '--since', '--json'];
    const first = await env.spawn('mempalace-session', args, clockOffBy(2 * DAY_MS));
    expect(JSON.parse(first.stdout)).toMatchObject({ new: 1 });
    history.addSession({
      id: 'ses_new',
      created: Date.now() - 60_000,
      messages: exchange('a new question', 'a new answer'),
    });
    history.close();
    const second = await env.spawn('mempalace-session', args);
    expect(JSON.parse(second.stdout)).toMatchObject({ new: 1, unchanged: 1 });
    expect(second.stderr).toContain('the clock was set back');
    // From then on it starts from the run with the right time.
    const third = await env.spawn('mempalace-session', args);
    expect([JSON.parse(third.stdout).unchanged, third.stderr]).toEqual([0, '']);
  });
});

describe('documents with an mtime', () => {
  it('in the future, before 1970 and of 1970 are filed once, and again when they change', async () => {
    const moments = [new Date('2199-01-01'), new Date('1901-01-01'), new Date(0)];
    const env = new TestEnv();
    const shop = env.project('shop', documents(4));
    const setTimes = () => {
      for (const [index, time] of moments.entries()) utimesSync(join(shop, `d${index}.md`), time, time);
    };
    setTimes();
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 4, problems: [] });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ unchanged: 4, embedded: 0 });
    for (const index of moments.keys()) env.edit(join(shop, `d${index}.md`), wordyDocument(9 + index));
    setTimes();
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ changed: 3, problems: [] });
    await expectAsIfNothing(env, 'mempalace-docs', [shop]);
  });
});

describe('a folder of documents', () => {
  it('that cannot be listed keeps its filed documents', async ({ skip }) => {
    if (process.geteuid?.() === 0) skip('root may look everywhere');
    const env = new TestEnv();
    const shop = env.project('shop', { 'a/x.md': '# X\n', 'b.md': '# B\n' });
    await env.json('mempalace-docs', [shop]);
    chmodSync(join(shop, 'a'), 0o000);
    await env.json('mempalace-docs', [shop], 3);
    chmodSync(join(shop, 'a'), 0o700);
    expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(2);
  });
});
