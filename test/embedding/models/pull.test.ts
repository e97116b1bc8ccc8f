import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadEmbedder, modelFolder, verifyModel } from '../../../src/embedding/index.js';
import { knownModels, pullModel } from '../../../src/embedding/models/pull.js';
import { takeLock } from '../../../src/platform/lock.js';
import { temporaryFolder } from '../../support/palace.js';
import { type HubServer, listen, startHub } from './hub-server.js';
import { type TinyModel, tinyModel } from './tiny-models.js';

const ID = 'all-MiniLM-L6-v2';

let tiny: TinyModel;
let hub: HubServer;
beforeAll(async () => {
  tiny = tinyModel(ID, 1);
  hub = await startHub([tiny]);
});
afterAll(() => hub.close());
afterEach(() => {
  hub.asked.length = 0;
  Object.assign(hub.faults, {
    cuts: [],
    ignoresRange: false,
    statuses: {},
    swapped: {},
    portal: false,
    plain: false,
  });
});

function machine(extra: Record<string, string> = {}): { env: Record<string, string>; folder: string } {
  const env = { MEMPALACE_MODELS: join(temporaryFolder(), 'models'), HF_ENDPOINT: hub.url, ...extra };
  return { env, folder: modelFolder(tiny.model, env) };
}

const onnxOf = (): Uint8Array => tiny.contents['onnx/model.onnx'] ?? new Uint8Array();
const asksOf = (end: string) => hub.asked.filter(({ path }) => decodeURIComponent(path).endsWith(end));

describe('pulling from the hub', () => {
  it('downloads the files, records them, and the model works', async () => {
    const { env, folder } = machine();
    const seen: { file: string; bytes: number }[] = [];
    const onProgress = (file: string, bytes: number) => seen.push({ file, bytes });
    const result = await pullModel(tiny.model, { env, onProgress });
    expect(result.fetched).toEqual(['onnx/model.onnx', 'tokenizer.json', 'tokenizer_config.json']);
    expect(result.folder).toBe(folder);
    expect(readFileSync(join(folder, 'onnx/model.onnx')).equals(onnxOf())).toBe(true);
    expect(seen.at(-1)).toMatchObject({ file: 'tokenizer_config.json' });
    const last = seen.filter(({ file }) => file === 'onnx/model.onnx').at(-1);
    expect(last).toEqual({ file: 'onnx/model.onnx', bytes: onnxOf().length });
    expect(readdirSync(dirname(folder)).filter((name) => name.includes('@'))).toEqual([
      `${ID}@${tiny.model.revision}`,
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'onnx/model.onnx')).mode & 0o777).toBe(0o600);
    await expect(verifyModel(tiny.model, folder)).resolves.toHaveLength(3);
    const embedder = await loadEmbedder({ modelId: ID, env });
    expect((await embedder.embed(['the palace']))[0]).toHaveLength(384);
    await embedder.close();
    expect((await knownModels(env)).filter(({ here }) => here).map(({ model }) => model.id)).toEqual([
      'use-lite-int8',
      'use-lite',
      ID,
    ]);
  });

  it('sends no request if the model is installed and intact', async () => {
    const { env } = machine();
    await pullModel(tiny.model, { env, pauseMs: 5 });
    hub.asked.length = 0;
    expect((await pullModel(tiny.model, { env, pauseMs: 5 })).fetched).toEqual([]);
    expect(hub.asked).toEqual([]);
  });

  it('continues after every broken connection', async () => {
    const { env, folder } = machine();
    hub.faults.cuts.push(1_000_000, 1_000_000, 500_000);
    await pullModel(tiny.model, { env, pauseMs: 5 });
    expect(readFileSync(join(folder, 'onnx/model.onnx')).equals(onnxOf())).toBe(true);
    const ranges = asksOf('onnx/model.onnx')
      .filter(({ path }) => path.startsWith('storage:'))
      .map(({ headers }) => Number(/\d+/.exec(headers.range ?? '0')?.[0]));
    expect(ranges).toHaveLength(4);
    expect([...ranges].sort((a, b) => a - b)).toEqual(ranges);
    expect(new Set(ranges).size).toBe(4);
  });

  it('gives up without progress, keeps the part, and the next run continues with it', async () => {
    const { env, folder } = machine();
    hub.faults.cuts.push(2_000_000, 0, 0, 0, 0);
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('onnx/model.onnx'),
      hint: expect.stringContaining('continues'),
    });
    expect(existsSync(folder)).toBe(false);
    await expect(loadEmbedder({ modelId: ID, env })).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining(`mempalace model pull ${ID}`),
    });
    hub.asked.length = 0;
    await pullModel(tiny.model, { env, pauseMs: 5 });
    const [resumed] = hub.asked.filter(({ path }) => path.startsWith('storage:'));
    expect(Number(/\d+/.exec(resumed?.headers.range ?? '')?.[0])).toBeGreaterThan(0);
    expect(readFileSync(join(folder, 'onnx/model.onnx')).equals(onnxOf())).toBe(true);
  });

  it('starts again if the server ignores Range', async () => {
    const { env, folder } = machine();
    hub.faults.ignoresRange = true;
    hub.faults.cuts.push(1_500_000);
    await pullModel(tiny.model, { env, pauseMs: 5 });
    expect(readFileSync(join(folder, 'onnx/model.onnx')).equals(onnxOf())).toBe(true);
  });

  it.each([
    ['shorter', (bytes: Uint8Array) => new Uint8Array(bytes.length >> 1).fill(7)],
    ['as long', (bytes: Uint8Array) => new Uint8Array(bytes.length).fill(7)],
    ['longer', (bytes: Uint8Array) => new Uint8Array(bytes.length + 5).fill(7)],
  ])('does not continue a part that is not the beginning of the file (%s)', async (_name, part) => {
    const { env, folder } = machine();
    mkdirSync(join(`${folder}.pulling`, 'onnx'), { recursive: true });
    writeFileSync(join(`${folder}.pulling`, 'onnx/model.onnx.part'), part(onnxOf()));
    await pullModel(tiny.model, { env, pauseMs: 5 });
    expect(readFileSync(join(folder, 'onnx/model.onnx')).equals(onnxOf())).toBe(true);
  });

  it.each(['model.onnx', 'tokenizer.json'])(
    'refuses a %s that differs from the hash of the hub',
    async (name) => {
      const { env, folder } = machine();
      const bytes = tiny.contents[name === 'model.onnx' ? 'onnx/model.onnx' : name] ?? new Uint8Array();
      const changed = Uint8Array.from(bytes);
      changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1;
      hub.faults.swapped[name] = changed;
      await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringMatching(/the hub states.*sha256/),
      });
      expect(existsSync(folder)).toBe(false);
    },
  );

  it('accepts a mirror without hashes, but not a model that does not load', async () => {
    const { env, folder } = machine();
    hub.faults.plain = true;
    hub.faults.swapped['model.onnx'] = new Uint8Array(onnxOf().length).fill(1);
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(`not a working ${ID}`),
    });
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(`${folder}.pulling`)).toBe(false);
    hub.faults.swapped = {};
    await pullModel(tiny.model, { env, pauseMs: 5 });
    await expect(verifyModel(tiny.model, folder)).resolves.toHaveLength(3);
  });
});

describe('a failed pull is reported with file and hint', () => {
  it.each([
    [404, 'not-found', /not have it/, /HF_ENDPOINT.*--from/],
    [401, 'failed', /refuses it \(401\)/, /HF_TOKEN.*--from/],
    [400, 'failed', /answered 400/, /--from/],
  ])('%i', async (status, code, message, hint) => {
    const { env } = machine();
    hub.faults.statuses['tokenizer.json'] = status;
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(asksOf('tokenizer.json')).toHaveLength(1);
  });

  it('503, after several attempts', async () => {
    const { env } = machine();
    hub.faults.statuses['tokenizer_config.json'] = 503;
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      message: expect.stringContaining('tokenizer_config.json'),
    });
    expect(asksOf('tokenizer_config.json').length).toBeGreaterThan(2);
  });

  it('a login page', async () => {
    const { env } = machine();
    hub.faults.portal = true;
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      message: expect.stringContaining('web page'),
    });
  });

  it('no network', async () => {
    const gone = createServer();
    const url = await listen(gone);
    await new Promise((resolve) => gone.close(resolve));
    const { env } = machine({ HF_ENDPOINT: url });
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(
        /onnx\/model\.onnx.*127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED/,
      ),
      hint: expect.stringContaining(`mempalace model pull ${ID} --from <folder>`),
    });
  });

  it('HF_HUB_OFFLINE', async () => {
    const { env } = machine({ HF_HUB_OFFLINE: '1' });
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      message: expect.stringContaining('HF_HUB_OFFLINE'),
    });
    expect(hub.asked).toEqual([]);
  });

  it('HF_ENDPOINT that is not a URL', async () => {
    const { env } = machine({ HF_ENDPOINT: 'mirror' });
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({ code: 'usage' });
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk', async () => {
    const { env, folder } = machine();
    mkdirSync(join(`${folder}.pulling`, 'onnx'), { recursive: true });
    symlinkSync('/dev/full', join(`${folder}.pulling`, 'onnx/model.onnx.part'));
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/no room on the disk for .*model\.onnx/),
      hint: expect.stringContaining('MEMPALACE_MODELS'),
    });
    expect(asksOf('onnx/model.onnx').filter(({ path }) => path.startsWith('storage:'))).toHaveLength(1);
  });

  it('another pull at the same moment', async () => {
    const { env } = machine();
    const lock = await takeLock(join(env.MEMPALACE_MODELS ?? '', 'pull.lock'), 'mempalace model pull x', 0);
    await expect(pullModel(tiny.model, { env })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('mempalace model pull x'),
    });
    lock.release();
  });

  it('an interruption, which keeps the part', async () => {
    const { env, folder } = machine();
    const controller = new AbortController();
    const stop = new Error('stopped');
    const pulling = pullModel(tiny.model, {
      env,
      signal: controller.signal,
      onProgress: () => controller.abort(stop),
    });
    await expect(pulling).rejects.toBe(stop);
    expect(existsSync(join(`${folder}.pulling`, 'onnx/model.onnx.part'))).toBe(true);
  });
});

describe('HF_TOKEN and proxies', () => {
  it('sends the token to the endpoint only', async () => {
    const token = ['hf', 'test', 'token'].join('_');
    const { env } = machine({ HF_TOKEN: token });
    await pullModel(tiny.model, { env, pauseMs: 5 });
    const [own, storage] = [false, true].map((there) =>
      hub.asked.filter(({ path }) => path.startsWith('storage:') === there),
    );
    expect(own?.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
    expect(storage?.length).toBeGreaterThan(0);
    expect(storage?.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('uses a proxy, unless NO_PROXY exempts the host', async () => {
    const through: string[] = [];
    const proxy = createServer().on('connect', (request, client) => {
      through.push(request.url ?? '');
      const target = connect(Number(new URL(hub.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
    });
    const proxyUrl = await listen(proxy);
    const named = { HF_ENDPOINT: 'http://hub.invalid', http_proxy: proxyUrl };
    const { env } = machine(named);
    await pullModel(tiny.model, { env, pauseMs: 5 });
    expect(through).toContain('hub.invalid:80');
    // The storage is on a loopback address, which is never reached through a proxy.
    expect(new Set(through)).toEqual(new Set(['hub.invalid:80']));
    const exempt = machine({ ...named, NO_PROXY: 'example.com, .invalid' });
    await expect(pullModel(tiny.model, { env: exempt.env })).rejects.toMatchObject({
      message: expect.stringContaining('hub.invalid cannot be reached'),
    });
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe('a pulled model stays unchanged', () => {
  it('a changed file is refused, and repaired by another pull', async () => {
    const { env, folder } = machine();
    await pullModel(tiny.model, { env, pauseMs: 5 });
    const path = join(folder, 'onnx/model.onnx');
    const bytes = readFileSync(path);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await expect(verifyModel(tiny.model, folder)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(path),
      hint: `mempalace model pull ${ID}`,
    });
    expect((await pullModel(tiny.model, { env, pauseMs: 5 })).fetched).toEqual(['onnx/model.onnx']);
    await expect(verifyModel(tiny.model, folder)).resolves.toHaveLength(3);
  });

  it('a file of another size is refused at once', async () => {
    const { env, folder } = machine();
    await pullModel(tiny.model, { env, pauseMs: 5 });
    writeFileSync(join(folder, 'tokenizer.json'), '{}');
    await expect(loadEmbedder({ modelId: ID, env })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/tokenizer\.json/),
    });
  });

  it('the files of the first pull are not replaced by others', async () => {
    const { env, folder } = machine();
    await pullModel(tiny.model, { env, pauseMs: 5 });
    const path = join(folder, 'tokenizer.json');
    const before = readFileSync(path);
    writeFileSync(path, 'damaged');
    hub.faults.plain = true;
    hub.faults.swapped['tokenizer.json'] = Buffer.from(`${before.toString()} `);
    await expect(pullModel(tiny.model, { env, pauseMs: 5 })).rejects.toMatchObject({
      message: expect.stringContaining('the first pull found'),
    });
    expect(readFileSync(path, 'utf8')).toBe('damaged');
  });
});

describe('from a folder', () => {
  it.each([
    ['laid out as on the hub', (name: string) => name],
    ['flat', (name: string) => name.split('/').at(-1) ?? ''],
    [
      'a hub cache',
      (name: string) =>
        `models--${tiny.model.repository?.replace('/', '--')}/snapshots/${tiny.model.revision}/${name}`,
    ],
  ])('%s', async (_name, place) => {
    const { env, folder } = machine({ HF_HUB_OFFLINE: '1' });
    const from = temporaryFolder();
    for (const [name, bytes] of Object.entries(tiny.contents)) {
      mkdirSync(dirname(join(from, place(name))), { recursive: true });
      writeFileSync(join(from, place(name)), bytes);
    }
    expect((await pullModel(tiny.model, { env, from })).fetched).toHaveLength(3);
    await expect(verifyModel(tiny.model, folder)).resolves.toHaveLength(3);
    expect(hub.asked).toEqual([]);
  });

  it('names a missing file', async () => {
    const { env } = machine();
    await expect(pullModel(tiny.model, { env, from: temporaryFolder() })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('onnx/model.onnx'),
      hint: expect.stringContaining(tiny.model.revision),
    });
  });
});
