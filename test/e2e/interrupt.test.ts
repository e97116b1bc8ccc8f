import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { builtOnce } from '../support/built-once.js';
import { it } from '../support/it-env.js';
import { longText } from '../support/long-text.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';

/** Factor for the promised second on a slow or busy machine. */
let slowness = 1;

beforeAll(async () => {
  const started = performance.now();
  await new TestEnv().run('mempalace', ['--version']);
  // 60 ms on an idle machine.
  slowness = Math.max(1, (performance.now() - started) / 200);
});

function count(env: TestEnv, table: string): number {
  if (!existsSync(palaceFile(env.palace))) return 0;
  const database = new Database(palaceFile(env.palace), { readonly: true });
  try {
    return Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

/**
 * Starts a program, presses Ctrl-C some time after `table` has rows, and returns when it answered and how it ended.
 *
 * @param laterMs on an idle machine
 */
async function interrupted(
  env: TestEnv,
  [program, ...args]: [program: string, ...args: string[]],
  table: string,
  laterMs = 0,
): Promise<void> {
  const child = env.start(program, args);
  let said = '';
  let answeredMs: number | undefined;
  let sentMs = Number.POSITIVE_INFINITY;
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('stopping')) answeredMs ??= performance.now() - sentMs;
  });
  while (count(env, table) === 0) {
    if (child.exitCode !== null) throw new Error(`${program} ended by itself: ${(await child).stderr}`);
    await sleep(20);
  }
  await sleep(laterMs * slowness);
  sentMs = performance.now();
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  const endedMs = performance.now() - sentMs;
  expect(exitCode, stderr).toBe(130);
  expect(stderr).toMatch(
    /^stopping; finished work is kept \(press Ctrl-C again to stop at once\)\n(?:what is filed is found by words; meaning for \d+ %: .*\n)?error: interrupted/m,
  );
  expect(answeredMs).toBeLessThan(1_000 * slowness);
  expect(endedMs).toBeLessThan(2_000 * slowness);
  const { runs } = (await env.json('mempalace', ['list', 'runs'])) as { runs: { exit_code: number }[] };
  expect(runs[0]?.exit_code).toBe(130);
}

/** From the run's record to the middle of its first wave, which takes seconds. */
const INTO_A_WAVE_MS = 1_000;

describe('Ctrl-C is answered at once, and finished work stays', () => {
  it('mempalace-docs, inside a file of 2 MB', async ({ env }) => {
    const project = env.project('big', { 'big.md': `# Big\n\n${longText(1_900_000)}` });
    await interrupted(env, ['mempalace-docs', project], 'runs', INTO_A_WAVE_MS);
  });

  it('mempalace-session, inside a long session', async ({ env }) => {
    mkdirSync(join(env.home, '.local/share/opencode'), { recursive: true });
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({
      messages: [...exchange('First?', longText(400_000)), ...exchange('Second?', 'No.')],
    });
    history.close();
    await interrupted(env, ['mempalace-session'], 'runs', INTO_A_WAVE_MS);
  });

  it('mempalace mine, inside a long transcript', async ({ env }) => {
    const lines = ['user', 'assistant', 'user', 'assistant'].map((role, index) =>
      JSON.stringify({
        type: role,
        sessionId: 's1',
        uuid: `m${index}`,
        timestamp: '2026-03-02T10:00:00Z',
        message: { role, content: index === 1 ? longText(400_000) : `Number ${index}?` },
      }),
    );
    const folder = env.project('talks', { 's1.jsonl': `${lines.join('\n')}\n` });
    await interrupted(env, ['mempalace', 'mine', folder, '--mode', 'convos'], 'runs', INTO_A_WAVE_MS);
  });

  it('mempalace search, while it waits for questions', async ({ env }) => {
    await env.json('mempalace-docs', [env.project('shop', { 'a.md': '# A\n\nPort 8443.\n' })]);
    const child = env.start('mempalace', ['search', '--batch'], 'pipe');
    child.stdin?.write('which port?\n');
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const sentMs = performance.now();
    child.kill('SIGINT');
    const { exitCode, stderr } = await child;
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining('error: interrupted')]);
    expect(performance.now() - sentMs).toBeLessThan(1_000 * slowness);
  });

  it('ends at once on the second Ctrl-C', async ({ env }) => {
    const project = env.project('big', { 'big.md': longText(400_000) });
    const child = env.start('mempalace-docs', [project]);
    while (count(env, 'runs') === 0) await sleep(20);
    child.kill('SIGINT');
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    const sentMs = performance.now();
    child.kill('SIGINT');
    expect((await child).exitCode).toBe(130);
    expect(performance.now() - sentMs).toBeLessThan(1_000 * slowness);
    expect(await env.json('mempalace', ['repair-status', '--full'])).toMatchObject({ problems: [] });
  });
});

describe('Ctrl-C during maintenance', () => {
  const filed = builtOnce(async (env) => {
    await env.json('mempalace-docs', [env.project('shop', { 'a.md': longText(150_000) })]);
  });

  it('mempalace reembed', async () => {
    const { env } = await filed();
    await interrupted(env, ['mempalace', 'reembed', '--force', '--no-backup'], 'next_embeddings');
  });

  it('mempalace repair', async () => {
    const { env } = await filed();
    const database = new Database(palaceFile(env.palace));
    database.exec('DELETE FROM embeddings; DELETE FROM codes');
    database.close();
    await interrupted(env, ['mempalace', 'repair', '--yes', '--no-backup'], 'embeddings');
  });
});
