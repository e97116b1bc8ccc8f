import { existsSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { loadEmbedder, modelById } from '../../src/embedding/index.js';
import { Palace, palaceFile } from '../../src/store/index.js';
import { listen } from '../embedding/models/hub-server.js';
import { cosine } from '../embedding/support.js';
import { removeFolder } from '../support/cleanups.js';
import { contentOf } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { E5, madeUpPalace, writeStick } from '../support/made-palaces.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

/** Enough drawers to kill a run in the middle. */
const TEXTS = 450;
const QUESTIONS = ['where does the proxy listen', 'who repairs the lighthouse', 'rounding of prices'];

/** The files of a small model, as on a USB drive. */
let stick: string;
beforeAll(() => {
  stick = writeStick(join(new TestEnv().home, '..', '..', `mempalace-stick-${process.pid}`));
});
afterAll(() => removeFolder(stick));

const notes = (count: number): Record<string, string> => ({
  'proxy.md': '# Ports\n\nThe proxy listens on 8443, behind the firewall.\n',
  'lighthouse.md': '# Repairs\n\nThe keeper mends the lighthouse himself, every spring.\n',
  'prices.md': '# Prices\n\nWe round up, since the tax office rounds up too.\n',
  ...Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `n${i}.md`,
      `# Note ${i}\n\nThe ${['otter', 'heron', 'badger'][i % 3]} of week ${i} was seen near mile ${i * 7}.\n`,
    ]),
  ),
});

interface Found {
  drawer_id: string;
  score: number;
  text: string;
  scores: { semantic: number };
}

async function ask(env: TestEnv): Promise<Pick<Found, 'drawer_id' | 'score'>[][]> {
  const answers = [];
  for (const question of QUESTIONS) answers.push(await env.json('mempalace', ['search', question]));
  return answers.map(({ hits }) =>
    (hits as Found[]).map(({ drawer_id, score }) => ({ drawer_id, score: Math.round(score * 1e3) })),
  );
}

/** As `contentOf`, with rounded vectors, since their last bits depend on the batch. */
function roundedContent(palace: string) {
  const content = contentOf(palace) as { vectors: { hash: string; embedding: string }[] };
  const vectors = content.vectors.map(({ hash, embedding }) => {
    const bytes = Buffer.from(embedding, 'hex');
    const floats = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
    return { hash, floats: floats.map((value) => Math.round(value * 5e2) / 5e2 + 0) };
  });
  return { ...content, vectors };
}

/** Texts with a vector of the next model. */
function _gatheredNow(env: TestEnv): number {
  return Palace.look(env.palace, ({ model, reembedding }) =>
    model.id === E5 ? TEXTS : reembedding.counts().gathered,
  );
}

describe('mempalace reembed', () => {
  it('moves a palace to a model with prefixes, files and searches with it, and moves back', async ({
    env,
  }) => {
    const project = env.project('shop', notes(30));
    await env.json('mempalace-docs', [project]);
    const before = roundedContent(env.palace);
    const found = await ask(env);
    await env.json('mempalace', ['model', 'pull', E5, '--from', stick]);
    await env.json('mempalace', ['model', 'use', E5]);

    const filed = await env.run('mempalace-docs', [project]);
    expect(filed.exitCode).toBe(0);
    expect(filed.stderr).toContain('the palace uses the model use-lite-int8, but the configuration names');
    expect(filed.stderr).toContain(`mempalace reembed --model ${E5}`);

    const untouched = env.fingerprint();
    expect(await env.json('mempalace', ['reembed', '--dry-run'])).toMatchObject({
      model: { id: E5, dimension: 384 },
      previous: { id: 'use-lite-int8' },
      texts: 33,
      to_embed: 33,
      embedded: 0,
      switched: false,
      seconds_estimated: expect.any(Number),
    });
    expect(env.fingerprint()).toBe(untouched);

    expect(await env.json('mempalace', ['reembed'])).toMatchObject({
      model: { id: E5 },
      texts: 33,
      resumed: 0,
      embedded: 33,
      switched: true,
    });
    expect(problemsOf(env.palace)).toEqual([]);
    const [run] = Palace.look(env.palace, (palace) => palace.runs.latest(1));
    expect(run).toMatchObject({ command: 'mempalace reembed', exitCode: 0, counts: { embedded: 33 } });
    const after = roundedContent(env.palace);
    expect({ ...after, vectors: after.vectors.map(({ hash }) => hash) }).toEqual({
      ...before,
      vectors: before.vectors.map(({ hash }) => hash),
    });
    expect(after.vectors[0]?.floats).toHaveLength(384);

    const [hit] = (await env.json('mempalace', ['search', QUESTIONS[0] ?? ''])).hits as Found[];
    expect(hit?.drawer_id).toBe(found[0]?.[0]?.drawer_id);
    const embedder = await loadEmbedder({ modelId: E5, env: env.env });
    const [passage] = await embedder.embed([hit?.text ?? ''], 'passage');
    const [question] = await embedder.embed([QUESTIONS[0] ?? ''], 'query');
    await embedder.close();
    expect(hit?.scores.semantic).toBeCloseTo(cosine(passage, question), 4);
    env.edit(join(project, 'new.md'), '# Harbour\n\nThe harbour master keeps the keys.\n');
    const more = await env.run('mempalace-docs', [project, '--json']);
    expect(more).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(more.stdout)).toMatchObject({ new: 1, unchanged: 33, embedded: 1 });
    rmSync(join(project, 'new.md'));
    await env.json('mempalace-docs', [project]);

    const back = await env.run('mempalace', ['reembed', '--model', 'use-lite-int8']);
    expect(back).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`configuration names ${E5}`) });
    expect(await ask(env)).toEqual(found);
    expect(roundedContent(env.palace)).toEqual(before);
    const again = await env.run('mempalace', ['reembed', '--model', 'use-lite-int8']);
    expect(again.stdout).toContain('nothing to do');
    expect(
      await env.json('mempalace', ['reembed', '--model', 'use-lite-int8', '--force', '--dry-run']),
    ).toMatchObject({ to_embed: 33 });
    expect(await env.json('mempalace', ['reembed', '--model', 'use-lite-int8', '--force'])).toMatchObject({
      embedded: 33,
      switched: false,
    });
    expect(roundedContent(env.palace)).toEqual(before);
  });

  it('stops in order on a signal, and continues after texts were filed and removed', async ({ env }) => {
    await env.json('mempalace', ['model', 'pull', E5, '--from', stick]);
    madeUpPalace(env.palace, TEXTS);
    const child = env.start('mempalace', ['reembed', '--model', E5]);
    const gathered = () => Palace.look(env.palace, ({ reembedding }) => reembedding.counts().gathered);
    let asked = 0;
    for (; gathered() === 0; asked += 1) await sleep(10);
    child.kill('SIGINT');
    const { exitCode, stderr } = await child;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('run the command again to continue');
    expect(asked).toBeGreaterThan(0);
    const kept = gathered();
    expect(kept).toBeLessThan(TEXTS);

    const project = env.project('shop', notes(0));
    const filed = await env.json('mempalace-docs', [project]);
    expect(filed).toMatchObject({ new: 3, embedded: 3 });
    const palace = Palace.write(env.palace, modelById('use-lite'));
    palace.remove(palace.sources.byKey('doc:p/0.md')?.id ?? 0);
    palace.tidy();
    palace.close();
    expect(Palace.look(env.palace, ({ model }) => model.id)).toBe('use-lite');
    expect(await env.json('mempalace', ['search', QUESTIONS[0] ?? ''])).toMatchObject({ notes: [] });

    const going = env.start('mempalace', ['reembed', '--model', E5]);
    let running = true;
    void going.finally(() => {
      running = false;
    });
    const lines: string[] = [];
    // One search process that is queried before, during and after the switch.
    const reader = env.start('mempalace', ['search', '--batch', '--limit', '1'], 'pipe');
    reader.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)));
    for (; running; await sleep(150)) reader.stdin?.write('proxy 8443\n');
    reader.stdin?.end('proxy 8443\n');
    expect(await going).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('of them by an earlier run'),
    });
    const { exitCode: searched, stderr: said } = await reader;
    expect([searched, said]).toEqual([0, '']);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(JSON.parse(line).hits[0].text).toContain('8443');
    expect(Palace.look(env.palace, ({ model }) => model.id)).toBe(E5);
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('is required for vectors of another revision, and discards an unfinished change', async ({ env }) => {
    const project = env.project('shop', notes(0));
    await env.json('mempalace-docs', [project]);
    const raw = new Database(palaceFile(env.palace));
    raw.exec("UPDATE meta SET value = 'use-lite@0/512' WHERE key = 'model'");
    raw.exec("INSERT INTO meta VALUES ('next_model', 'gpt-17@1/9')");
    raw.close();
    const outcomes = await Promise.all([
      env.run('mempalace', ['search', 'proxy']),
      env.run('mempalace-docs', [project]),
    ]);
    for (const { exitCode, stderr } of outcomes) {
      expect(exitCode).toBe(1);
      expect(stderr).toContain('mempalace reembed --model use-lite');
    }
    expect(await env.json('mempalace', ['reembed'])).toMatchObject({ embedded: 3, switched: true });
    expect(await env.run('mempalace', ['search', 'proxy'])).toMatchObject({ exitCode: 0, stderr: '' });
    Palace.look(env.palace, ({ reembedding }) => expect(reembedding.next).toBeUndefined());
  });

  it('needs a palace and an installed model', async ({ env }) => {
    const outcomes = await Promise.all([
      env.run('mempalace', ['reembed']),
      env.run('mempalace', ['reembed', '--model', 'gpt-17']),
    ]);
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(existsSync(env.palace)).toBe(false);
    const fresh = await env.run('mempalace-docs', [env.project('shop', notes(0))], { MEMPALACE_MODEL: E5 });
    expect(fresh).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`mempalace model pull ${E5}`),
    });
    expect(existsSync(palaceFile(env.palace))).toBe(false);
  });
});

describe('a palace without its model', () => {
  it('is searched by words alone, with a hint to restore the model', async ({ env }) => {
    env.env.MEMPALACE_MODEL = E5;
    await env.json('mempalace', ['model', 'pull', E5, '--from', stick]);
    await env.json('mempalace-docs', [env.project('shop', notes(0))]);
    expect(Palace.look(env.palace, ({ model }) => model.id)).toBe(E5);
    const models = join(env.home, '.local/share/mempalace/models');
    renameSync(models, `${models}.away`);
    const quiet = await env.run('mempalace', ['search', '--quiet', '--explain', 'proxy 8443']);
    expect(quiet).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('8443') });
    expect(quiet.stderr).toContain('found by words alone');
    expect(quiet.stderr).toContain(`mempalace model pull ${E5}`);
    expect(await env.json('mempalace', ['search', 'proxy 8443'])).toMatchObject({
      notes: [expect.stringContaining('words alone')],
      hits: [{ scores: { lexical: 1, semantic: 0 } }],
    });
    renameSync(`${models}.away`, models);
    expect(await env.run('mempalace', ['search', 'proxy 8443'])).toMatchObject({ stderr: '' });
  });

  it('or with its server down; while it is up, the programs say that text is sent there', async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { input } = JSON.parse(body) as { input: string[] };
        const data = input.map((text, index) => ({ index, embedding: [1 + text.length, 2, 3] }));
        response.end(JSON.stringify({ data }));
      });
    });
    const id = `${await listen(server)}/v1#nomic-embed-text`;
    const env = new TestEnv();
    env.env.MEMPALACE_MODEL = id;
    const project = env.project('shop', notes(0));
    const filed = await env.run('mempalace-docs', [project, '--quiet']);
    expect(filed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`is sent to ${id}`) });
    expect(Palace.look(env.palace, ({ model }) => model)).toEqual({ id, revision: 'endpoint', dimension: 3 });
    expect(await env.run('mempalace-docs', [project])).toMatchObject({ exitCode: 0, stderr: '' });
    const asked = await env.run('mempalace', ['search', '--quiet', 'proxy 8443']);
    expect(asked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`is sent to ${id}`) });
    expect(asked.stderr).not.toContain('words alone');
    expect(await env.json('mempalace', ['reembed', '--dry-run', '--force'])).toMatchObject({
      to_embed: 3,
      seconds_estimated: null,
    });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const alone = await env.run('mempalace', ['search', 'proxy 8443']);
    expect(alone).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('8443') });
    expect(alone.stderr).toContain('words alone');
    expect(alone.stderr).toContain('start the server');
    const left = await env.run('mempalace', ['reembed', '--model', 'use-lite-int8']);
    expect(left).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('now uses the model use-lite-int8'),
    });
  });
});
