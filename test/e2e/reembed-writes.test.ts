import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { textKey } from '../../src/embedding/index.js';
import { Palace } from '../../src/store/index.js';
import {
  type EmbeddingServer,
  embeddingServer,
  foreignTexts,
  madeUpVector,
} from '../support/embedding-server.js';
import { connected } from '../support/mcp-client.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

const DIMENSIONS = { one: 48, 'of-equal-size': 48, 'of-another-size': 32 };

const notes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}.md`, `The otter of week ${i}.\n`]));

/** A palace of the model `one`, with this number of drawers. */
async function filled(count: number): Promise<{ env: TestEnv; server: EmbeddingServer }> {
  const server = await embeddingServer(DIMENSIONS);
  const env = new TestEnv();
  env.env.MEMPALACE_MODEL = server.model('one');
  await env.json('mempalace-docs', [env.project('shop', notes(count))]);
  return { env, server };
}

const until = async (ready: () => boolean): Promise<void> => {
  for (const end = Date.now() + 30_000; !ready(); await sleep(10))
    if (Date.now() > end) throw new Error('it did not happen');
};

it.each(['of-equal-size', 'of-another-size'])(
  'texts embedded before the palace changed to a model %s are filed with vectors of the new model',
  async (next) => {
    const { env, server } = await filled(5);
    const { done } = await connected(env, ['--tools', 'all', '--timeout', '60s']);
    await done('add_drawer', { wing: 'wing_notes', room: 'notes', content: 'Filed before.' });
    server.hold('one', 'embedded early');
    const writes = [
      done('add_drawer', { wing: 'wing_notes', room: 'notes', content: 'A drawer embedded early.' }),
      done('diary_write', { agent_name: 'tester', entry: 'An entry embedded early.' }),
      done('checkpoint', {
        items: [{ wing: 'wing_notes', room: 'b', content: 'A checkpoint embedded early.' }],
        dedup_threshold: 1,
      }),
      done('check_duplicate', { content: 'Is this embedded early?' }),
    ];
    const diary = env.start('mempalace', ['diary', 'write', '--agent', 'cli', 'A line embedded early.']);
    // The server embeds one call after the other.
    await until(() => server.held() >= 2);
    await env.json('mempalace', ['reembed', '--model', server.model(next)]);
    server.release();
    await Promise.all(writes);
    expect(await diary).toMatchObject({ exitCode: 0 });
    expect(Palace.look(env.palace, ({ model }) => model)).toMatchObject({
      id: server.model(next),
      dimension: DIMENSIONS[next as keyof typeof DIMENSIONS],
    });
    expect(foreignTexts(env.palace)).toEqual([]);
    expect(Palace.look(env.palace, (palace) => palace.drawerCount())).toBe(10);
    expect(problemsOf(env.palace)).toEqual([]);
    // The record names the model of the filed vectors.
    const runs = Palace.look(env.palace, (palace) => palace.runs.latest(4));
    for (const { versions } of runs) expect(versions.model).toContain(server.model(next));
  },
);

it('each vector is from the palace’s model, even if texts are written while it changes back and forth', async () => {
  const { env, server } = await filled(300);
  Object.assign(server.delays, { one: 15, 'of-equal-size': 40, 'of-another-size': 40 });
  const servers = await Promise.all([
    connected(env, ['--tools', 'all', '--timeout', '60s']),
    connected(env, ['--tools', 'all', '--timeout', '60s']),
  ]);
  let changing = true;
  const written: Promise<number>[] = servers.map(async ({ done }, who) => {
    let n = 0;
    for (; changing; n += 1) {
      await done('add_drawer', { wing: 'wing_notes', room: 'notes', content: `Marsupial ${n} of ${who}.` });
      // Without a pause, two writers keep the server busy and a change of the model never ends.
      await sleep(100);
    }
    return n;
  });
  for (const next of ['of-equal-size', 'of-another-size', 'one'])
    await env.spawnJson('mempalace', ['reembed', '--model', server.model(next)]);
  changing = false;
  const [first = 0, second = 0] = await Promise.all(written);
  expect(Math.min(first, second)).toBeGreaterThan(3);
  expect(foreignTexts(env.palace)).toEqual([]);
  expect(Palace.look(env.palace, (palace) => palace.drawerCount())).toBe(300 + first + second);
  expect(problemsOf(env.palace)).toEqual([]);
});

/** Gives drawers the vectors of the model `one`, as a write by an earlier program did while the model changed. */
function mix(env: TestEnv, isMixed: (text: string) => boolean): number {
  const { model } = Palace.look(env.palace, (palace) => ({ model: palace.model }));
  const palace = Palace.write(env.palace, model);
  try {
    const drawers = palace.drawerVectors.all(0, 1_000).filter(({ text }) => isMixed(text));
    palace.drawerVectors.restore(
      drawers.map((drawer) => ({
        drawer,
        hash: textKey(drawer.text),
        embedding: madeUpVector('one', drawer.text.trim(), DIMENSIONS.one),
      })),
      model,
    );
    return drawers.length;
  } finally {
    palace.close();
  }
}

async function vectorFinding(env: TestEnv, args: string[], exitCode: number) {
  const { findings } = await env.json('mempalace', ['doctor', ...args], exitCode);
  return (findings as { label: string; status: string; detail: string; next: string | null }[]).find(
    ({ label }) => label === 'vectors',
  );
}

describe('a mixture of vectors from two models of one dimension', () => {
  it('in drawers of agents is found by doctor --full, even in a few drawers, and fixed by repair', async () => {
    const { env, server } = await filled(1);
    const { done } = await connected(env, ['--tools', 'all', '--timeout', '60s']);
    for (const n of [1, 2, 3])
      await done('add_drawer', { wing: 'wing_notes', room: 'notes', content: `Marsupial ${n}.` });
    await env.json('mempalace-docs', [env.project('large', notes(900))]);
    await env.json('mempalace', ['reembed', '--model', server.model('of-equal-size')]);
    expect(mix(env, (text) => text === 'Marsupial 2.')).toBe(1);
    expect(foreignTexts(env.palace)).toEqual(['Marsupial 2.']);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(await vectorFinding(env, [], 0)).toBeUndefined();
    expect(await vectorFinding(env, ['--full'], 1)).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/^1 of \d+ vectors that were compared are not of /),
      next: 'mempalace repair',
    });
    const sent = server.sent['of-equal-size']?.length ?? 0;
    const repaired = await env.json('mempalace', ['repair', '--yes', '--no-backup']);
    expect(repaired).toMatchObject({ vectors_replaced: 1, vectors_lost: 0, left: [] });
    // A sample and the doubtful texts, not all texts.
    expect((server.sent['of-equal-size']?.length ?? 0) - sent).toBeLessThan(300);
    expect(foreignTexts(env.palace)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(await vectorFinding(env, ['--full'], 0)).toMatchObject({ status: 'ok' });
  });

  it('in any drawers is found by a sample, and repair then compares all', async () => {
    const { env, server } = await filled(700);
    await env.json('mempalace', ['reembed', '--model', server.model('of-equal-size')]);
    expect(mix(env, (text) => text.includes('7'))).toBeGreaterThan(70);
    expect(await vectorFinding(env, ['--full'], 1)).toMatchObject({ status: 'fail' });
    await env.json('mempalace', ['repair', '--yes', '--no-backup']);
    expect(foreignTexts(env.palace)).toEqual([]);
    expect(await vectorFinding(env, ['--full'], 0)).toMatchObject({ status: 'ok' });
  });
});
