import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/embedding/client.js';
import { NativeGate } from '../../src/embedding/gate.js';
import {
  DEFAULT_MODEL_ID,
  type Embedder,
  loadEmbedder,
  localModel,
  modelFolder,
  startEmbedder,
} from '../../src/embedding/index.js';
import { cosine, REFERENCE } from './support.js';

const model = localModel(DEFAULT_MODEL_ID);
/** References that fit into one window and have no repeated white space. */
const FITTING = REFERENCE.filter(({ text, ids }) => ids.length <= 128 && !/^\s|\s$|\s\s|[^\S ]/u.test(text));
const SHORT = FITTING.map(({ text }) => text);
const LONG = REFERENCE.map(({ text }) => text).join(' ');

describe('embedder in a worker thread', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await startEmbedder();
  });
  afterAll(() => embedder.close());

  it('gives the vectors of the original (cosine ≥ 0.998)', async () => {
    const vectors = await embedder.embed(SHORT);
    expect(FITTING.length).toBeGreaterThan(30);
    for (const [index, { embedding, text }] of FITTING.entries()) {
      expect(cosine(vectors[index], embedding), text).toBeGreaterThanOrEqual(0.998);
    }
  });

  it('gives a text the same vector alone and in any batch (cosine ≥ 0.99999)', async () => {
    const texts = [...SHORT, '', LONG];
    const together = await embedder.embed(texts);
    for (const [index, text] of texts.entries()) {
      const [alone] = await embedder.embed([text]);
      expect(cosine(together[index], alone), text.slice(0, 60)).toBeGreaterThanOrEqual(0.99999);
    }
  });

  it('gives vectors of the dimension and of length 1, the empty text included', async () => {
    for (const vector of await embedder.embed(['', ' \n ', 'a', LONG])) {
      expect(vector).toHaveLength(model.dimension);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it('makes the vector of a long text from all of its windows', async () => {
    const [whole, start, otherEnd] = await embedder.embed([
      LONG,
      LONG.slice(0, 400),
      `${LONG} ${LONG.slice(-400)}`,
    ]);
    expect(cosine(whole, start)).toBeLessThan(0.99);
    expect(cosine(whole, otherEnd)).toBeLessThan(0.9999);
  });

  it('cancels aborted calls, running or queued', async () => {
    // Minutes of work: a call that waits for it exceeds the test's time limit.
    const long = Array.from({ length: 200 }, () => LONG.repeat(10));
    const dropped = [0, 1, 2].map((wait) => {
      const cancelled = new AbortController();
      setTimeout(() => cancelled.abort(`cancelled ${wait}`), wait);
      return expect(embedder.embed(long, 'passage', cancelled.signal)).rejects.toBe(`cancelled ${wait}`);
    });
    await Promise.all(dropped);
    await expect(embedder.embed(['short'])).resolves.toHaveLength(1);
    await expect(embedder.embed(['x'], 'passage', AbortSignal.abort('at once'))).rejects.toBe('at once');
  }, 60_000);

  it('runs a question before queued passages, and loses none', async () => {
    const order: string[] = [];
    const done = (name: string) => () => order.push(name);
    const [[alone]] = await Promise.all([
      embedder.embed(['what?'], 'query'),
      embedder.embed(['x']).then(done('one passage')),
      embedder.embed(Array.from({ length: 4 }, () => LONG.repeat(10))).then(done('many passages')),
      embedder.embed(['what?'], 'query').then(done('a question')),
      embedder.embed(['who?'], 'query').then(done('another')),
    ]);
    expect(order.slice(-1)).toEqual(['many passages']);
    expect(order.slice(0, -1).sort()).toEqual(['a question', 'another', 'one passage']);
    const [again] = await embedder.embed(['what?'], 'query');
    expect(cosine(alone, again)).toBeCloseTo(1, 5);
  });

  it('runs a short call before queued waves', async () => {
    const order: string[] = [];
    const wave = () => embedder.embed([LONG.repeat(8)]);
    const first = wave();
    await Promise.all([
      first,
      wave().then(() => order.push('a wave')),
      embedder.embed(['Is this filed?']).then(() => order.push('a short call')),
    ]);
    expect(order).toEqual(['a short call', 'a wave']);
  });

  it('preserves number and order for texts of any length', async () => {
    const known = await embedder.embed(SHORT);
    const picks = fc.array(fc.tuple(fc.nat(SHORT.length - 1), fc.nat(20)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(picks, async (chosen) => {
        // Between known texts there are others of up to several windows.
        const texts = chosen.flatMap(([index, words]) => [
          SHORT[index] ?? '',
          'other words '.repeat(words * 5),
        ]);
        const vectors = await embedder.embed(texts);
        expect(vectors).toHaveLength(texts.length);
        for (const [position, [index]] of chosen.entries()) {
          expect(cosine(vectors[position * 2], known[index])).toBeGreaterThanOrEqual(0.99999);
        }
      }),
      { numRuns: 8 },
    );
  });

  it('answers overlapping calls in order without blocking this thread', async () => {
    const answered: number[] = [];
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const calls = [0, 1, 2].map((number) =>
      embedder.embed([...SHORT, LONG, LONG]).then((vectors) => {
        answered.push(number);
        return vectors;
      }),
    );
    const [first, , third] = await Promise.all(calls);
    clearInterval(timer);
    expect(answered).toEqual([0, 1, 2]);
    expect(cosine(first?.[3], third?.[3])).toBeGreaterThanOrEqual(0.99999);
    expect(ticks).toBeGreaterThan(3);
  });
});

describe('embedder in this thread', () => {
  // ONNX Runtime loads a model differently here; where a float changes its last bit, an integer may change by one.
  it.each([
    ['use-lite', 0.99999],
    ['use-lite-int8', 0.9999],
  ])('gives the vectors of the worker: %s (cosine ≥ %d)', async (modelId, least) => {
    const [here, worker] = await Promise.all([loadEmbedder({ modelId }), startEmbedder({ modelId })]);
    const [ours, theirs] = await Promise.all([here.embed(SHORT, 'query'), worker.embed(SHORT, 'query')]);
    for (const index of SHORT.keys())
      expect(cosine(ours[index], theirs[index])).toBeGreaterThanOrEqual(least);
    await Promise.all([here.close(), worker.close()]);
    await expect(here.embed(['a'])).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('closing and failing', () => {
  it('rejects running and later calls when closed; can be closed twice', async () => {
    const embedder = await startEmbedder();
    const call = embedder.embed(Array.from({ length: 60 }, () => LONG));
    const closed = embedder.close();
    await expect(call).rejects.toMatchObject({ code: 'interrupted' });
    await closed;
    await embedder.close();
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('rejects calls when the thread ends by itself', async () => {
    const embedder = await connect(failingWorker('exit'), model, new NativeGate());
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('code 9'),
      hint: expect.any(String),
    });
    await expect(embedder.embed(['b'])).rejects.toMatchObject({ code: 'failed' });
    await embedder.close();
  });

  it('rejects calls when the thread throws', async () => {
    const embedder = await connect(failingWorker('throw'), model, new NativeGate());
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('out of memory, say'),
    });
    await embedder.close();
  });

  describe('with damaged files', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'mempalace-model-'));
      copyFileSync(join(modelFolder(model), 'tokenizer.json'), join(folder, 'tokenizer.json'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('names the missing model file', async () => {
      const missing = { code: 'not-found', message: expect.stringContaining(join(folder, model.onnxFile)) };
      await expect(startEmbedder({ folder })).rejects.toMatchObject(missing);
      await expect(loadEmbedder({ folder })).rejects.toMatchObject(missing);
    });

    it('names a model file that cannot be loaded, from the worker, too', async () => {
      const size = model.files.find(({ name }) => name === model.onnxFile)?.bytes ?? 0;
      writeFileSync(join(folder, model.onnxFile), Buffer.alloc(size, 'no model '));
      const unloadable = {
        code: 'failed',
        message: expect.stringContaining(`cannot be loaded: ${join(folder, model.onnxFile)}`),
        hint: expect.stringContaining('models/use-lite'),
      };
      await expect(startEmbedder({ folder })).rejects.toMatchObject(unloadable);
      await expect(loadEmbedder({ folder })).rejects.toMatchObject(unloadable);
    });
  });

  it('refuses an unknown model', async () => {
    await expect(startEmbedder({ modelId: 'none' })).rejects.toMatchObject({ code: 'usage' });
  });

  it.each([
    ['is left open', '', 0],
    ['is left at work by process.exit', 'embedder.embed(texts); setTimeout(() => process.exit(7), 100);', 7],
    ['exits while it loads', 'void startEmbedder(); setTimeout(() => process.exit(8), 80);', 8],
  ])('does not block or crash the process when it %s', async (_name, then, code) => {
    const compiled = new URL('../../dist/embedding/index.js', import.meta.url).href;
    const script = `import { startEmbedder } from ${JSON.stringify(compiled)};
      const texts = Array.from({ length: 300 }, (_, i) => 'some words of a text '.repeat(40) + i);
      const embedder = await startEmbedder();
      await embedder.embed(['a']);
      ${then}`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 20_000,
    });
    const result = await run.catch((error: { code: number; stderr: string }) => error);
    expect(result.stderr).toBe('');
    expect('code' in result ? result.code : 0).toBe(code);
  });
});

function failingWorker(how: 'exit' | 'throw'): Worker {
  const file = fileURLToPath(new URL('../fixtures/embed/failing-worker.mjs', import.meta.url));
  return new Worker(file, { workerData: how, execArgv: [] });
}
