import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpointModel, isEndpoint } from '../../src/embedding/endpoint-id.js';
import {
  type Embedder,
  findModel,
  loadEmbedder,
  modelById,
  startEmbedder,
} from '../../src/embedding/index.js';
import { byteWindows, packSizes } from '../../src/embedding/windows.js';
import { proxyFor } from '../../src/platform/http.js';
import { Palace } from '../../src/store/index.js';
import { temporaryFolder } from '../support/palace.js';
import { cosine } from './support.js';

const asked = z.object({
  model: z.string(),
  input: z.array(z.string()),
  encoding_format: z.literal('float'),
});

interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  body: z.infer<typeof asked>;
}

let server: Server;
let url: string;
let requests: Request[];
/** Answers of the next requests instead of vectors: status and body. */
let instead: { status: number; body: unknown; headers?: Record<string, string> }[];
/** Dimensions of the vectors. */
let dimension: number;
let open: Embedder[];

/** A vector that depends only on the text; not of length 1. */
const vectorOf = (text: string): number[] =>
  Array.from(
    { length: dimension },
    (_, i) => 1 + ((text.length * (i + 3) + (text.codePointAt(i) ?? 7)) % 11),
  );

beforeEach(async () => {
  requests = [];
  instead = [];
  dimension = 6;
  open = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = asked.parse(JSON.parse(text));
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      const other = instead.shift();
      const data = body.input.map((input, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOf(input),
      }));
      const answer = other?.body ?? { object: 'list', data: data.reverse(), model: body.model };
      response.writeHead(other?.status ?? 200, { 'content-type': 'application/json', ...other?.headers });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${z.custom<AddressInfo>().parse(server.address()).port}/v1`;
});

afterEach(async () => {
  for (const embedder of open) await embedder.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function connected(
  name = 'some-model',
  env: Record<string, string> = {},
  known?: number,
): Promise<Embedder> {
  const embedder = await loadEmbedder({ modelId: `${url}#${name}`, env, dimension: known });
  open.push(embedder);
  return embedder;
}

describe('ids of endpoints', () => {
  it('are normalised URLs with the name of a model', () => {
    const model = endpointModel('HTTP://LocalHost:11434/v1/#nomic-embed-text:v1.5', 768);
    expect(model).toMatchObject({
      id: 'http://localhost:11434/v1#nomic-embed-text:v1.5',
      revision: 'endpoint',
      dimension: 768,
      url: 'http://localhost:11434/v1',
      name: 'nomic-embed-text:v1.5',
      reach: 'machine',
    });
    expect(endpointModel(model?.id ?? '', 768)).toEqual(model);
    expect(endpointModel('https://api.example.com/v1#org/model@2', 3)?.reach).toBe('network');
    expect(isEndpoint('use-lite')).toBe(false);
  });

  it.each([
    ['http://127.0.0.1:1/v1#m', 'machine'],
    ['http://127.9.9.9/v1#m', 'machine'],
    ['http://[::1]:8080/v1#m', 'machine'],
    ['http://192.168.1.2/v1#m', 'network'],
    ['http://127.0.0.1.example.com/v1#m', 'network'],
    ['http://localhost.example.com/v1#m', 'network'],
    ['https://0.0.0.0/v1#m', 'network'],
  ])('%s reaches the %s', (id, reach) => {
    expect(modelById(id, 3).reach).toBe(reach);
  });

  it.each(['http://127.0.0.1/v1', 'http://127.0.0.1/v1#', 'https://#m', 'http://h/v1?key=1#m'])(
    '%s is refused',
    (id) => {
      expect(() => modelById(id, 3)).toThrow(/endpoint/);
    },
  );

  it('with a password are refused, without repeating it', () => {
    const secret = ['pass', 'word'].join('');
    for (const id of [`http://me:${secret}@host/v1#m`, `http://me:${secret}@host/v1`]) {
      expect(() => modelById(id, 3)).toThrow(expect.not.stringContaining(secret));
    }
  });

  it('are unchanged after they are stored in a palace', () => {
    const model = modelById('http://127.0.0.1:11434/v1#org/name@v2/3', 5);
    const folder = temporaryFolder();
    Palace.write(folder, model).close();
    const palace = Palace.read(folder);
    expect(palace.model).toMatchObject({ id: model.id, revision: 'endpoint', dimension: 5 });
    palace.close();
  });

  it('without a known dimension require a request', () => {
    expect(() => modelById('http://127.0.0.1:1/v1#m')).toThrow(/dimension/);
  });
});

describe('an OpenAI-compatible endpoint', () => {
  it('gives its dimension for one text, unless it is known', async () => {
    expect(await findModel(`${url}#m`, {})).toMatchObject({ id: `${url}#m`, dimension: 6, reach: 'machine' });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ path: '/v1/embeddings', body: { model: 'm', input: ['dimension'] } });
    await connected('m', {}, 6);
    expect(requests).toHaveLength(1);
  });

  it('embeds in order, with length 1, many texts or one', async () => {
    const embedder = await startEmbedder({ modelId: `${url}#m`, env: {} });
    open.push(embedder);
    const [one] = await embedder.embed(['  a \n text ']);
    const wanted = vectorOf('a text');
    expect(cosine(one, wanted)).toBeCloseTo(1, 6);
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 6);
    const texts = Array.from({ length: 150 }, (_, i) => `text ${'x'.repeat(i + 1)}`);
    const vectors = await embedder.embed(texts);
    for (const [i, text] of texts.entries()) expect(cosine(vectors[i], vectorOf(text))).toBeCloseTo(1, 6);
    const batches = requests.slice(2).map(({ body }) => body.input);
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.flat()).toEqual(texts);
  });

  it('answers overlapping calls in order, and the empty text', async () => {
    const embedder = await connected();
    const [first, second] = await Promise.all([embedder.embed(['one', '']), embedder.embed(['two'])]);
    expect(cosine(first[0], vectorOf('one'))).toBeCloseTo(1, 6);
    expect(cosine(second[0], vectorOf('two'))).toBeCloseTo(1, 6);
    expect(first[1]).toHaveLength(6);
    expect(requests.flatMap(({ body }) => body.input)).not.toContain('');
  });

  it('uses the mean of the pieces of a long text, each with the prefix of a known model', async () => {
    const embedder = await connected('nomic-embed-text');
    const text = Array.from({ length: 700 }, (_, i) => `word${i}`).join(' ');
    const [vector] = await embedder.embed([text]);
    const sent = requests.at(-1)?.body.input ?? [];
    expect(sent.length).toBeGreaterThan(2);
    for (const piece of sent) {
      expect(piece.startsWith('search_document: ')).toBe(true);
      expect(Buffer.byteLength(piece)).toBeLessThan(1_600);
    }
    expect(sent.map((piece) => piece.slice('search_document: '.length)).join(' ')).toBe(text);
    const sum = Array.from({ length: 6 }, (_, i) =>
      sent.reduce((total, piece) => {
        const bytes = piece.length - 'search_document: '.length;
        const own = vectorOf(piece);
        return total + ((own[i] ?? 0) / Math.hypot(...own)) * bytes;
      }, 0),
    );
    expect(cosine(vector, sum)).toBeCloseTo(1, 6);
    await embedder.embed(['which port'], 'query');
    expect(requests.at(-1)?.body.input).toEqual(['search_query: which port']);
  });

  it.each([429, 500, 503])('is tried again after %i', async (status) => {
    const embedder = await connected('m', {}, 6);
    instead.push({ status, body: { error: { message: 'busy' } } }, { status, body: 'no JSON' });
    expect(await embedder.embed(['a'])).toHaveLength(1);
    expect(requests).toHaveLength(3);
  });

  it.each([
    [400, { error: { message: 'input too long' } }, /answered 400: input too long/],
    [401, { error: 'no key' }, /answered 401: no key/],
    [404, { error: { message: 'model "m" not found' } }, /answered 404: model "m" not found/],
    [200, { data: [] }, /gave 0 vectors for 1 texts/],
    [200, '<html>', /does not answer as an embeddings endpoint/],
    [200, { data: [{ index: 0, embedding: [1, 2] }] }, /gave 2 numbers, not 6/],
    [200, { data: [{ index: 0, embedding: [0, 0, 0, 0, 0, 0] }] }, /not a number/],
    [200, { data: [{ index: 0, embedding: [1, 2, 3, 4, 5, null] }] }, /does not answer as/],
  ])('%i with %j is an error without another attempt', async (status, body, message) => {
    const embedder = await connected('m', {}, 6);
    instead.push({ status, body });
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(message),
    });
    expect(requests).toHaveLength(1);
    expect(await embedder.embed(['a'])).toHaveLength(1);
  });

  it('that is not reachable is an error that names it', async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(loadEmbedder({ modelId: `${url}#m`, env: {} })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/\/v1 does not answer: .*ECONNREFUSED/),
      hint: expect.stringContaining('start the server'),
    });
  });

  it('behind a proxy whose address is not usable is an error that names the endpoint', async () => {
    for (const proxy of ['socks5://127.0.0.1:1080', 'http://[proxy']) {
      const options = { modelId: 'http://models.invalid/v1#m', env: { http_proxy: proxy } };
      await expect(loadEmbedder(options)).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringMatching(/^http:\/\/models\.invalid\/v1 does not answer: Invalid URL/),
      });
    }
  });

  it('receives the key only over a private connection', async () => {
    const key = ['test', 'key'].join('-');
    await connected('m', { OPENAI_API_KEY: key });
    expect(requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
    await connected('m', { OPENAI_API_KEY: 'other', MEMPALACE_API_KEY: key });
    expect(requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
    // The key is not sent over plain HTTP to another machine (this one, through a proxy).
    const proxied = { MEMPALACE_API_KEY: key, http_proxy: url, no_proxy: '' };
    server.on('connect', (request, client) => {
      expect(request.url).toBe('models.invalid:80');
      const target = connect(Number(new URL(url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
    });
    instead.push({ status: 401, body: { error: 'who are you?' } });
    await expect(loadEmbedder({ modelId: 'http://models.invalid/v1#m', env: proxied })).rejects.toMatchObject(
      { hint: expect.stringContaining('https') },
    );
    expect(requests.at(-1)?.headers).toMatchObject({ host: 'models.invalid' });
    expect(requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it('is never used for a model of the registry', async () => {
    const embedder = await loadEmbedder({ env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url } });
    await embedder.embed(['a']);
    await embedder.close();
    expect(embedder.model.reach).toBe('process');
    expect(requests).toEqual([]);
  });

  it('rejects calls after it is closed', async () => {
    const embedder = await connected();
    const late = expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'interrupted' });
    await embedder.close();
    await late;
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('pieces and batches', () => {
  it('pieces contain every word, and none exceeds the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })),
        fc.integer({ min: 8, max: 90 }),
        (words, limit) => {
          const text = words.join(' ').replace(/\s+/gu, ' ').trim();
          const pieces = byteWindows(text, limit);
          expect(pieces.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
          for (const piece of pieces) {
            expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(limit);
            expect(/^\p{Surrogate}|\p{Surrogate}$/u.test(piece)).toBe(false);
          }
        },
      ),
    );
  });

  it('batches preserve order and number, within the size limit', () => {
    const batches = packSizes([5, 5, 5, 20, 1, 1, 1, 1], (size) => size, 10, 3);
    expect(batches).toEqual([[5, 5], [5], [20], [1, 1, 1], [1]]);
  });
});

describe('proxies', () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.com,.corp.net, *.lan:8080' };
  it.each([
    ['https://huggingface.co/a', 'http://proxy:3128'],
    ['http://huggingface.co/a', undefined],
    ['https://example.com/', undefined],
    ['https://sub.example.com/', undefined],
    ['https://notexample.com/', 'http://proxy:3128'],
    ['https://x.corp.net/', undefined],
    ['https://x.lan:8080/', undefined],
    ['https://x.lan/', 'http://proxy:3128'],
    ['https://localhost/', undefined],
    ['https://[::1]/', undefined],
  ])('%s uses %s', (address, proxy) => {
    expect(proxyFor(new URL(address), env)).toBe(proxy);
  });

  it('reads lower-case variables first, and ALL_PROXY last', () => {
    const all = { all_proxy: 'proxy:1', http_proxy: 'http://small:2', HTTP_PROXY: 'http://capitals:3' };
    expect(proxyFor(new URL('http://a.b/'), all)).toBe('http://small:2');
    expect(proxyFor(new URL('https://a.b/'), all)).toBe('http://proxy:1');
    expect(proxyFor(new URL('https://a.b/'), { ...all, no_proxy: '*' })).toBeUndefined();
  });
});
