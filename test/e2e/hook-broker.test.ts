import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { brokerFile, killBroker, withBroker } from '../support/broker.js';
import { wordyDocument } from '../support/documents.js';
import { filledMachine } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';
import { noteTalk } from '../support/talks.js';
import type { TestEnv } from '../support/test-env.js';

const PRELOAD = fileURLToPath(new URL('../support/addons.mjs', import.meta.url));
const machine = filledMachine();

const filled = async (): Promise<TestEnv> => (await machine()).env;

const LOG = 'flush.log';
const logOf = (env: TestEnv): string => {
  try {
    return readFileSync(join(env.home, LOG), 'utf8');
  } catch {
    return '';
  }
};

const addonsOf = (env: TestEnv) => join(env.home, 'addons');

/** Starts a flush that logs, and that writes down the addons it loads. */
function flushing(env: TestEnv) {
  const log = ['--log-file', join(env.home, LOG), '--log-level', 'debug'];
  return env.start('mempalace', ['hook', 'flush', '--json', ...log], 'ignore', {
    NODE_OPTIONS: `--import=${PRELOAD}`,
    ADDONS: addonsOf(env),
  });
}

/** How often the runtime of models was loaded. */
function runtimesOf(env: TestEnv): number {
  const addons = readFileSync(addonsOf(env), 'utf8').split('\n');
  expect(addons.filter((name) => name.includes('better_sqlite3'))).not.toEqual([]);
  return addons.filter((name) => name.includes('onnxruntime')).length;
}

/** Every vector of the palace by its text, bit by bit. */
function vectorsOf(env: TestEnv): unknown[] {
  const raw = new Database(palaceFile(env.palace), { readonly: true });
  try {
    return raw
      .prepare(
        `SELECT hex(v.text_hash) AS text, hex(e.embedding) AS vector
         FROM embeddings e JOIN vectors v ON v.id = e.vector_id ORDER BY text`,
      )
      .all();
  } finally {
    raw.close();
  }
}

/** Passages of a long session: more than one wave. */
const LONG = Array.from({ length: 150 }, (_, n) => wordyDocument(n)).join('\n');

describe('mempalace hook flush beside a broker', () => {
  it('loads no model, and files the same vectors as with its own, bit by bit', async () => {
    const flushed = async (env: TestEnv) => {
      noteTalk(env, 'talk-1', 'Which port does the zebra gateway use?', wordyDocument(1));
      noteTalk(env, 'talk-2', wordyDocument(2), LONG);
      const { stdout } = await flushing(env);
      expect(JSON.parse(stdout)).toMatchObject({ filed: 2, failed: 0, left: 0, problems: [] });
      return { runtimes: runtimesOf(env), vectors: vectorsOf(env) };
    };
    const alone = await flushed(await filled());
    // The same machine again, as it was.
    const env = withBroker(await filled());
    await env.json('mempalace', ['broker', 'ensure']);
    const beside = await flushed(env);
    expect(alone.runtimes).toBeGreaterThan(0);
    expect(beside.runtimes).toBe(0);
    expect(logOf(env)).toContain(`the model of the broker (process ${brokerFile(env).pid})`);
    expect(beside.vectors).toEqual(alone.vectors);
    expect(beside.vectors.length).toBeGreaterThan(100);
  });

  it('does not start one', async () => {
    const env = withBroker(await filled());
    noteTalk(env, 'talk-1', 'Which port?', 'Port 8443.');
    await flushing(env);
    expect(runtimesOf(env)).toBeGreaterThan(0);
    expect(await env.json('mempalace', ['broker', 'status'])).toMatchObject({ running: false });
  });

  it('files everything when the broker is killed meanwhile', async () => {
    const env = withBroker(await filled());
    await env.json('mempalace', ['broker', 'ensure']);
    noteTalk(env, 'talk-1', LONG, 'The end.');
    const flush = flushing(env);
    while (!logOf(env).includes('the model of the broker')) await sleep(5);
    killBroker(env);
    expect(JSON.parse((await flush).stdout)).toMatchObject({ filed: 1, failed: 0, problems: [] });
    expect(logOf(env)).toContain('loads a model of its own: the connection to the palace ended');
    expect(await env.json('mempalace', ['status'])).toMatchObject({ meaning: { pending: 0 } });
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('uses its own model where searches use words alone: the broker has none', async () => {
    const env = withBroker(await filled());
    env.env.MEMPALACE_SEARCH_RANK = 'lexical';
    await env.json('mempalace', ['broker', 'ensure']);
    noteTalk(env, 'talk-1', 'Which port?', 'Port 8443.');
    await flushing(env);
    expect(logOf(env)).toContain('loads a model of its own: searches of this palace use words alone');
    expect(runtimesOf(env)).toBeGreaterThan(0);
  });
});
