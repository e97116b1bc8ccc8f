import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtOnce } from '../support/built-once.js';
import { type Connected, connected, warmed } from '../support/mcp-client.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;

const BREAKER = fileURLToPath(new URL('../support/break-workers.mjs', import.meta.url));
const filled = builtOnce(async (env: TestEnv) => {
  await env.json('mempalace-docs', [
    env.project('shop', { 'a.md': '# Proxy\n\nIt listens on port 8443.\n' }),
  ]);
});

/** A server with worker threads that the test can end. */
async function breakable(more: Record<string, string> = {}): Promise<Connected & { env: TestEnv }> {
  const { env } = await filled();
  Object.assign(env.env, { NODE_OPTIONS: `--import=${BREAKER}`, ...more });
  return { ...(await connected(env)), env };
}

const ask = async ({ done }: Connected): Promise<{ found: number; notes: string }> => {
  const { results, notes } = await done('search', { query: 'which port is it' });
  return { found: (results as Row[]).length, notes: String(notes) };
};

async function untilByMeaning(server: Connected): Promise<void> {
  for (let asked = await ask(server); asked.notes !== ''; asked = await ask(server)) {
    expect(asked).toMatchObject({ found: 1, notes: expect.stringContaining('words alone') });
    await sleep(100);
  }
}

describe('a crash of the model thread', () => {
  it('makes search lexical only, until the thread is restarted', async () => {
    const server = await breakable();
    await warmed(server);
    expect(await ask(server)).toEqual({ found: 1, notes: '' });
    process.kill(server.pid, 'SIGUSR2');
    await sleep(200);
    expect(await ask(server)).toEqual({
      found: 1,
      notes: 'found by words alone: the embedding thread ended unexpectedly (code 1)',
    });
    await untilByMeaning(server);
  });

  it('delays writes, and nothing is lost', async () => {
    const server = await breakable();
    await warmed(server);
    const draft = (n: number) => ({ wing: 'wing_notes', room: 'a', content: `Lemur number ${n}.` });
    for (const n of [1, 2]) {
      process.kill(server.pid, 'SIGUSR2');
      await sleep(200);
      expect(await server.done('add_drawer', draft(n))).toMatchObject({ success: true });
    }
    const { results } = await server.done('search', { query: '"lemur"' });
    expect(results).toHaveLength(2);
    expect(problemsOf(server.env.palace)).toEqual([]);
  });

  it('can be an out-of-memory error while the model is loaded', async () => {
    const server = await breakable({ FIRST_WORKER_MB: '4' });
    let asked = await ask(server);
    while (asked.notes.includes('being loaded')) {
      await sleep(100);
      asked = await ask(server);
    }
    expect(asked).toMatchObject({ found: 1, notes: expect.stringMatching(/words alone: .*memory limit/) });
    await untilByMeaning(server);
  });
});
