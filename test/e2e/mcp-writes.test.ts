import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { WRITE_LOG } from '../../src/mcp/write-log.js';
import { takeLock } from '../../src/platform/lock.js';
import { palaceFile } from '../../src/store/index.js';
import { builtOnce } from '../support/built-once.js';
import { connected } from '../support/mcp-client.js';
import { remainsOf } from '../support/remains.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] => value as Row[];

const PROXY = '# Proxy\n\nThe proxy listens on port 8443, since 443 needs root.\n';
const filled = builtOnce(async (env: TestEnv) => {
  await env.json('mempalace-docs', [env.project('shop', { 'docs/proxy.md': PROXY })]);
  return env;
});

const draft = (content: string) => ({ wing: 'wing_notes', room: 'notes', content });
const sourcesIn = async (env: TestEnv, wing: string): Promise<number> => {
  const { wings } = await env.json('mempalace', ['status']);
  return Number(rows(wings).find((row) => row.wing === wing)?.sources ?? 0);
};

describe('a checkpoint', () => {
  it('files several texts and a diary entry in one call, and nothing twice', async () => {
    const { env } = await filled();
    const { done } = await connected(env, ['--tools', 'all', '--agent', 'tester']);
    const items = [draft('The bilby is nocturnal.'), { wing: 'wing_notes', room: 'b', content: PROXY }];
    const diary = { agent_name: 'Tester', entry: 'We spoke of bilbies.', topic: 'animals' };
    const saved = await done('checkpoint', { items, diary });
    expect(saved).toMatchObject({
      success: true,
      added: [{ item: 0, room: 'notes', chunks: 1 }],
      duplicates: [{ item: 1, similarity: 1 }],
      errors: [],
      diary: { agent: 'tester', topic: 'animals', wing: 'wing_tester' },
    });
    const again = await done('checkpoint', { items, diary });
    expect(again).toMatchObject({
      added: [],
      duplicates: [{ item: 0 }, { item: 1 }],
      diary: { entry_id: (saved.diary as Row).entry_id, reason: 'already_exists' },
    });
    const exactly = await done('checkpoint', { items: [items[0], items[0]], dedup_threshold: 1 });
    expect(exactly).toMatchObject({
      added: [{ reason: 'already_exists' }, { reason: 'already_exists' }],
      duplicates: [],
    });
    expect([await sourcesIn(env, 'wing_notes'), await sourcesIn(env, 'wing_tester')]).toEqual([1, 1]);
    const log = readFileSync(join(env.palace, WRITE_LOG), 'utf8').trim().split('\n');
    expect(JSON.parse(log[0] ?? '')).toMatchObject({
      tool: 'mempalace_checkpoint',
      drawer_ids: rows(saved.added).map((row) => row.drawer_id),
      entry_id: (saved.diary as Row).entry_id,
    });
    expect(log.join('\n')).not.toContain('bilb');
  });

  it('is refused whole if a part of it is wrong; a diary entry alone is enough', async () => {
    const { env } = await filled();
    const { done, refused } = await connected(env, ['--tools', 'all']);
    const diary = { agent_name: 'tester', entry: 'An entry alone.' };
    for (const wrong of [
      { items: [draft('A potoroo.'), { ...draft('Another.'), wing: '../x' }], diary },
      { items: [draft('A potoroo.')], diary: { ...diary, agent_name: '/' } },
      { items: [draft('A potoroo.')], diary: { ...diary, entry: '  ' } },
      { items: [] },
    ])
      expect(await refused('checkpoint', wrong)).toMatchObject({ code: 'usage', error: expect.any(String) });
    expect([await sourcesIn(env, 'wing_notes'), await sourcesIn(env, 'wing_tester')]).toEqual([0, 0]);
    expect(await done('checkpoint', { items: [], diary })).toMatchObject({ added: [], diary: { chunks: 1 } });
  });

  it('names forgotten texts, and files the rest', async () => {
    const { env } = await filled();
    const { done, refused } = await connected(env, ['--tools', 'all']);
    const first = draft('A quoll that is to be forgotten.');
    await done('add_drawer', first);
    const { sources } = await env.json('mempalace', ['list', 'sources', '--wing', 'wing_notes']);
    await env.json('mempalace', ['forget', '--source', String(rows(sources)[0]?.source_key), '--yes']);
    expect(await refused('add_drawer', first)).toMatchObject({
      code: 'failed',
      hint: expect.stringContaining('--allow-again'),
    });
    const saved = await done('checkpoint', { items: [first, draft('Snow falls in August.')] });
    expect(saved).toMatchObject({
      success: false,
      added: [{ item: 1 }],
      errors: [{ item: 0, code: 'failed', error: expect.stringContaining('forgotten') }],
    });
  });
});

describe('short writes', () => {
  it('do not need the run lock: additions, changes and deletions work while another run holds it', async () => {
    const { env } = await filled();
    const { done } = await connected(env, ['--tools', 'all', '--timeout', '30s']);
    const lock = await takeLock(join(env.palace, 'run.lock'), 'some long run', 0);
    try {
      const added = await done('add_drawer', draft('A zorilla sleeps under the stairs.'));
      expect(await done('add_drawer', draft('A zorilla sleeps under the stairs.'))).toMatchObject({
        drawer_id: added.drawer_id,
        reason: 'already_exists',
      });
      const changed = await done('update_drawer', { drawer_id: added.drawer_id, content: 'A linsang does.' });
      const moved = await done('update_drawer', { drawer_id: changed.drawer_id, wing: 'wing_other' });
      expect(moved).toMatchObject({ wing: 'wing_other', drawer_id: changed.drawer_id });
      expect(await done('delete_drawer', { drawer_id: moved.drawer_id })).toMatchObject({
        drawers_removed: 1,
      });
      const words = { needles: ['zorilla', 'linsang'], bytes: [] };
      expect(remainsOf(words, env.palace)).toEqual([]);
      expect(await sourcesIn(env, 'wing_other')).toBe(0);
    } finally {
      lock.release();
    }
    // The next run stores the vectors that were left to it, although it files nothing.
    expect(vectorsIn(env)).toBe(3);
    await env.json('mempalace-docs', [join(env.home, 'shop')]);
    expect(vectorsIn(env)).toBe(1);
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('of texts with NUL characters and lone surrogates are filed once, too', async () => {
    const { env } = await filled();
    const { done } = await connected(env, ['--tools', 'all']);
    const odd = draft('A \u0000 numbat \ud800 and 𝔸 flag 🇦🇺.');
    const added = await done('add_drawer', odd);
    expect(await done('add_drawer', odd)).toMatchObject({
      drawer_id: added.drawer_id,
      reason: 'already_exists',
    });
    expect(await sourcesIn(env, 'wing_notes')).toBe(1);
  });

  it('return during a mine; several servers lose and duplicate nothing', async () => {
    const { env } = await filled();
    const servers = await Promise.all([connected(env), connected(env, ['--tools', 'all'])]);
    const files = Array.from({ length: 60 }, (_, n): [string, string] => [
      `docs/${n}.md`,
      Array.from(
        { length: 8 },
        (_, part) => `## ${n} ${part}\n\n${`word${n}x${part} goes on. `.repeat(25)}\n`,
      ).join('\n'),
    ]);
    const big = env.project('big', Object.fromEntries(files));
    // With a limit it embeds in small batches, and so ends soon after the signal.
    const mine = env.start('mempalace-docs', [big, '--max-duration', '10m']);
    let ended = false;
    void mine.finally(() => {
      ended = true;
    });
    while (!(await holdsLock(env)) && !ended) await sleep(20);
    const saved = await Promise.all(
      servers.flatMap(({ done }) =>
        Array.from({ length: 3 }, (_, n) => done('add_drawer', draft(`Marsupial number ${n}.`))),
      ),
    );
    const [first] = saved;
    await servers[1]?.done('delete_drawer', { drawer_id: first?.drawer_id });
    expect([ended, await holdsLock(env)]).toEqual([false, true]);
    expect(await sourcesIn(env, 'wing_notes')).toBe(2);
    mine.kill('SIGINT');
    expect((await mine).exitCode).toBe(130);
    expect(problemsOf(env.palace)).toEqual([]);
  });
});

async function holdsLock(env: TestEnv): Promise<boolean> {
  try {
    (await takeLock(join(env.palace, 'run.lock'), 'a look', 0)).release();
    return false;
  } catch {
    return true;
  }
}

function vectorsIn(env: TestEnv): unknown {
  const database = new Database(palaceFile(env.palace), { readonly: true });
  try {
    return database.prepare('SELECT count(*) FROM vectors WHERE text_hash IS NOT NULL').pluck().get();
  } finally {
    database.close();
  }
}
