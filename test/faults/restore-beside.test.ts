import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { killBroker, withBroker } from '../support/broker.js';
import { connected } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { times } from '../support/thorough.js';

const machine = filledMachine();
const ROUNDS = times(3, 10);
const AGENTS = 3;

async function filled(): Promise<TestEnv> {
  return (await machine()).env;
}

/** Writes drawers until the signal aborts, and deletes every third. @returns texts and ids that were acknowledged */
async function writing(env: TestEnv, name: string, signal: AbortSignal) {
  const client = await connected(env, ['--tools', 'all']);
  const [kept, deleted, refused]: [string[], string[], unknown[]] = [[], [], []];
  for (let n = 0; !signal.aborted; n += 1) {
    const content = `Agent ${name} says ${n}: the zebra crossed.`;
    const { isError, result } = await client.call('add_drawer', { wing: 'storm', room: name, content });
    if (isError) refused.push(result.code);
    else if (n % 3 > 0) kept.push(content);
    else {
      const { isError: failed } = await client.call('delete_drawer', { drawer_id: result.drawer_id });
      if (!failed) deleted.push(content);
    }
  }
  await client.client.close();
  return { kept, deleted, refused };
}

function textsIn(file: string): string[] {
  const database = new Database(file, { readonly: true });
  const texts = database
    .prepare<[], string>("SELECT text FROM drawers WHERE text LIKE 'Agent %'")
    .pluck()
    .all();
  database.close();
  return texts.map((text) => text.trim());
}

describe.each([
  ['through a broker', withBroker],
  ['without a broker', (env: TestEnv) => env],
])('agents that write %s while the palace is replaced or rewritten', (_, prepared) => {
  it('lose nothing by a restore: it is in the palace or in a backup that was kept', async () => {
    const env = prepared(await filled());
    const stop = new AbortController();
    const agents = Array.from({ length: AGENTS }, (__, n) => writing(env, `a${n}`, stop.signal));
    const known = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const copy = join(env.home, `copy-${round}.sqlite3`);
      expect(await env.spawn('mempalace', ['backup', copy])).toMatchObject({ exitCode: 0 });
      await sleep(300);
      expect(await env.spawn('mempalace', ['restore', copy, '--yes'])).toMatchObject({ exitCode: 0 });
      for (const name of readdirSync(join(env.palace, 'backups'))) {
        const to = join(env.home, `kept-${name}`);
        copyFileSync(join(env.palace, 'backups', name), to);
        for (const text of textsIn(to)) known.add(text);
      }
    }
    stop.abort();
    const done = await Promise.all(agents);
    killBroker(env);
    for (const text of textsIn(palaceFile(env.palace))) known.add(text);
    const kept = done.flatMap((each) => each.kept);
    expect(kept.filter((text) => !known.has(text))).toEqual([]);
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(done.flatMap(({ refused }) => refused))).not.toContain('bug');
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it.each([[['repair', '--yes']], [['scrub', '--all']], [['reembed', '--force']]])(
    'lose nothing by mempalace %j',
    async (args) => {
      const env = prepared(await filled());
      const stop = new AbortController();
      const agents = Array.from({ length: AGENTS }, (__, n) => writing(env, `a${n}`, stop.signal));
      for (let round = 0; round < times(1, 5); round += 1)
        expect((await env.spawn('mempalace', [...args])).exitCode).toBeOneOf([0, 3]);
      stop.abort();
      const done = await Promise.all(agents);
      killBroker(env);
      const texts = textsIn(palaceFile(env.palace));
      expect(texts).toEqual(expect.arrayContaining(done.flatMap(({ kept }) => kept)));
      const gone = new Set(done.flatMap(({ deleted }) => deleted));
      expect(texts.filter((text) => gone.has(text))).toEqual([]);
      expect(new Set(texts).size).toBe(texts.length);
      expect(problemsOf(env.palace)).toEqual([]);
    },
  );
});
