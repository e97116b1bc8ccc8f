import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type HubServer, listen, startHub } from '../embedding/models/hub-server.js';
import { type TinyModel, tinyModel } from '../embedding/models/tiny-models.js';
import { TestEnv } from '../support/test-env.js';

const ID = 'multilingual-e5-small';

const listed = z.object({
  folder: z.string(),
  configured: z.object({ id: z.string(), origin: z.string() }),
  palace: z.object({ id: z.string(), revision: z.string(), dimension: z.number() }).nullable(),
  models: z.array(
    z.object({
      id: z.string(),
      revision: z.string(),
      dimension: z.number().nullable(),
      bytes: z.number().nullable(),
      licence: z.string().nullable(),
      purpose: z.string(),
      repository: z.string().nullable(),
      folder: z.string().nullable(),
      here: z.boolean(),
      configured: z.boolean(),
      in_palace: z.boolean(),
      leaves_process: z.boolean(),
      leaves_machine: z.boolean(),
    }),
  ),
});

let tiny: TinyModel;
let hub: HubServer;
beforeAll(async () => {
  tiny = tinyModel(ID);
  hub = await startHub([tiny]);
});
afterAll(() => hub.close());

function machine(): TestEnv {
  const env = new TestEnv();
  env.env.HF_ENDPOINT = hub.url;
  return env;
}

async function list(env: TestEnv): Promise<z.infer<typeof listed>> {
  return listed.parse(await env.json('mempalace', ['model', 'list']));
}

describe('mempalace model', () => {
  it('lists the models, and which are installed', async () => {
    const env = machine();
    const { models, configured, palace, folder } = await list(env);
    expect(folder).toBe(join(env.home, '.local/share/mempalace/models'));
    expect(configured.id).toBe('use-lite-int8');
    expect(palace).toBeNull();
    expect(models.map(({ id, dimension, here }) => [id, dimension, here])).toEqual([
      ['use-lite-int8', 512, true],
      ['use-lite', 512, true],
      ['all-MiniLM-L6-v2', 384, false],
      ['bge-small-en-v1.5', 384, false],
      [ID, 384, false],
      ['bge-m3', 1024, false],
    ]);
    expect(models.every(({ leaves_process }) => !leaves_process)).toBe(true);
    for (const { repository, revision } of models.slice(2)) {
      expect(repository).toMatch(/^[\w-]+\/[\w.-]+$/);
      expect(revision).toMatch(/^[0-9a-f]{40}$/);
    }
    const { stdout } = await env.run('mempalace', ['model']);
    expect(stdout).toMatch(/use-lite-int8\s+512-d\s+7\.9 MB configured/);
    expect(stdout).toMatch(/multilingual-e5-small\s+384-d\s+487\.4 MB not pulled/);
    expect(Math.max(...stdout.split('\n').map((row) => row.length))).toBeLessThan(81);
    expect(hub.asked).toEqual([]);
  });

  it('pulls, verifies and uses a model; a changed file is refused', async () => {
    const env = machine();
    const missing = await env.run('mempalace', ['model', 'use', ID]);
    expect(missing).toMatchObject({ exitCode: 1 });
    expect(missing.stderr).toContain(`mempalace model pull ${ID}`);
    const unverified = await env.run('mempalace', ['model', 'verify', ID]);
    expect(unverified).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not pulled') });

    const pulled = await env.json('mempalace', ['model', 'pull', ID]);
    const folder = join(env.home, `.local/share/mempalace/models/${ID}@${tiny.model.revision}`);
    expect(pulled).toEqual({
      id: ID,
      revision: tiny.model.revision,
      folder,
      fetched: ['onnx/model.onnx', 'tokenizer.json', 'tokenizer_config.json'],
      bytes: Object.values(tiny.contents).reduce((sum, { length }) => sum + length, 0),
    });
    expect(await env.json('mempalace', ['model', 'path', ID])).toEqual({ id: ID, folder, here: true });
    expect((await env.run('mempalace', ['model', 'path', ID])).stdout).toBe(folder);
    const verified = await env.json('mempalace', ['model', 'verify']);
    expect(verified).toMatchObject({
      models: [
        { id: 'use-lite-int8', dimension: 512 },
        { id: 'use-lite', dimension: 512 },
        { id: ID, dimension: 384, files: [{}, {}, {}] },
      ],
    });

    const used = await env.json('mempalace', ['model', 'use', ID]);
    expect(used).toMatchObject({ model: ID, palace: null, reembed: false, leaves_process: false });
    expect(readFileSync(join(env.home, '.config/mempalace/config.yaml'), 'utf8')).toContain(`model: ${ID}`);
    const { models, configured } = await list(env);
    expect(configured).toMatchObject({ id: ID, origin: expect.stringContaining('config.yaml') });
    expect(models.find(({ id }) => id === ID)).toMatchObject({ here: true, configured: true });

    const path = join(folder, 'onnx/model.onnx');
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const refused = await env.run('mempalace', ['model', 'verify', ID]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('sha256 differs') });
    expect(await env.json('mempalace', ['model', 'pull', ID])).toMatchObject({
      fetched: ['onnx/model.onnx'],
    });
    expect(await env.run('mempalace', ['model', 'verify', ID])).toMatchObject({ exitCode: 0 });
  });

  it('pulls from a folder into $MEMPALACE_MODELS', async () => {
    const env = machine();
    env.env.MEMPALACE_MODELS = join(env.home, 'elsewhere');
    env.env.HF_HUB_OFFLINE = '1';
    const offline = await env.run('mempalace', ['model', 'pull', ID]);
    expect(offline).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--from <folder>') });
    const from = join(env.home, 'usb-stick');
    for (const [name, bytes] of Object.entries(tiny.contents)) {
      mkdirSync(dirname(join(from, name)), { recursive: true });
      writeFileSync(join(from, name), bytes);
    }
    const { exitCode, stdout } = await env.run('mempalace', ['model', 'pull', ID, '--from', from]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`mempalace model use ${ID}`);
    expect((await list(env)).models.find(({ id }) => id === ID)).toMatchObject({
      here: true,
      folder: join(env.home, 'elsewhere', `${ID}@${tiny.model.revision}`),
    });
  });

  it('reports that the palace has vectors of another model', async () => {
    const env = machine();
    const project = env.project('notes', { 'README.md': '# Ports\n\nThe proxy listens on 8443.\n' });
    await env.json('mempalace-docs', [project]);
    expect((await list(env)).palace).toMatchObject({ id: 'use-lite-int8' });
    await env.json('mempalace', ['model', 'pull', ID]);
    const { stdout } = await env.run('mempalace', ['model', 'use', ID]);
    expect(stdout).toContain(`mempalace reembed --model ${ID}`);
    const { models } = await list(env);
    expect(models.filter(({ in_palace }) => in_palace).map(({ id }) => id)).toEqual(['use-lite-int8']);
  });

  it('accepts a server as a model, and warns that text leaves the process', async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }));
      });
    });
    const id = `${await listen(server)}/v1#some-model`;
    const env = machine();
    const used = await env.run('mempalace', ['model', 'use', `${id.replace('#', '/#')}`]);
    expect(used).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is sent to') });
    expect((await list(env)).models.at(-1)).toMatchObject({
      id,
      configured: true,
      leaves_process: true,
      leaves_machine: false,
    });
    expect(await env.json('mempalace', ['model', 'verify', id])).toMatchObject({
      models: [{ id, dimension: 2 }],
    });
    expect(await env.run('mempalace', ['model', 'pull', id])).toMatchObject({ exitCode: 2 });
    server.closeAllConnections();
    server.close();
  });

  it('refuses wrong command lines', async () => {
    const env = machine();
    const wrong = [['pull'], ['use'], ['use', 'gpt-17'], ['drop', ID], ['list', ID], ['list', '--from', 'x']];
    const outcomes = await Promise.all(wrong.map((args) => env.run('mempalace', ['model', ...args])));
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(wrong.map(() => 2));
    const misspelt = await env.run('mempalace', ['model', 'use', 'http://me:you@host/v1#m']);
    expect(misspelt).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('you@') });
  });
});
