import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Embedder,
  loadEmbedder,
  localModel,
  modelFolder,
  startEmbedder,
} from '../../../src/embedding/index.js';
import { pullModel } from '../../../src/embedding/models/pull.js';
import { shownText } from '../../../src/embedding/text.js';
import { loadTokenizer } from '../../../src/embedding/tokenize.js';
import { cosine, wholeTokenizer } from '../support.js';
import { type TinyModel, tinyModel } from './tiny-models.js';

const folder = mkdtempSync(join(tmpdir(), 'mempalace-models-'));
const env = { MEMPALACE_MODELS: join(folder, 'models') };
afterAll(() => rmSync(folder, { recursive: true }));

async function pulled(id: string): Promise<TinyModel> {
  const tiny = tinyModel(id);
  const from = join(folder, id);
  for (const [name, bytes] of Object.entries(tiny.contents)) {
    mkdirSync(dirname(join(from, name)), { recursive: true });
    writeFileSync(join(from, name), bytes);
  }
  await pullModel(tiny.model, { env, from });
  return tiny;
}

/** The vector of ids, from the test's own forward pass. */
function expected({ bert, model }: TinyModel, ids: readonly number[]): number[] {
  const states = bert.forward(ids);
  const [cls = new Float64Array()] = states;
  const pooled =
    model.pooling === 'cls'
      ? [...cls]
      : Array.from(cls, (_, i) => states.reduce((sum, state) => sum + (state[i] ?? 0), 0) / states.length);
  const length = Math.hypot(...pooled);
  return pooled.map((value) => value / length);
}

function idsOf({ tokenizer }: TinyModel, words: string): number[] {
  return words.split(' ').flatMap((word) => tokenizer.word(word));
}

describe.each([
  // Words as the tokenizer separates them; BERT splits off punctuation, SentencePiece does not.
  ['all-MiniLM-L6-v2', '', ''],
  ['bge-small-en-v1.5', 'represent this sentence for searching relevant passages :', ''],
  ['multilingual-e5-small', 'query:', 'passage:'],
])('%s, in small', (id, queryPrefix, passagePrefix) => {
  let tiny: TinyModel;
  let embedder: Embedder;
  beforeAll(async () => {
    tiny = await pulled(id);
    embedder = await loadEmbedder({ modelId: id, env });
  });
  afterAll(() => embedder.close());

  const framed = (prefix: string, words: string): number[] => {
    const { tokenizer } = tiny;
    const lead = prefix === '' ? [] : idsOf(tiny, prefix);
    return [tokenizer.before, ...lead, ...idsOf(tiny, words), tokenizer.after];
  };

  it.each(['the palace', 'quick drawers 8443'])('embeds %j as the test computes it', async (text) => {
    const [passage] = await embedder.embed([text]);
    const [query] = await embedder.embed([text], 'query');
    const wanted = expected(tiny, framed(passagePrefix, text));
    expect(passage).toHaveLength(wanted.length);
    for (const [i, value] of wanted.entries()) expect(passage?.[i]).toBeCloseTo(value, 4);
    expect(cosine(query, expected(tiny, framed(queryPrefix, text)))).toBeGreaterThan(0.99999);
    if (queryPrefix !== passagePrefix) expect(cosine(query, passage)).toBeLessThan(0.999);
  });

  it('is independent of padding, white space and capitals', async () => {
    const texts = ['the  palace\n', 'quick drawers and a session of the proxy', ' the palace'];
    const [first, , third] = await embedder.embed(texts);
    const wanted = expected(tiny, framed(passagePrefix, 'the palace'));
    expect(cosine(first, wanted)).toBeGreaterThan(0.99999);
    expect(cosine(third, wanted)).toBeGreaterThan(0.99999);
  });

  it('uses the mean of the windows of a long text, each with special tokens and prefix', async () => {
    // The second half has other words than the first.
    const words = Array.from({ length: 800 }, (_, i) =>
      i < 400 ? (['the', 'palace'][i % 2] ?? '') : (['port', 'query', 'room'][i % 3] ?? ''),
    );
    const around = framed(passagePrefix, 'the').length - 1;
    const room = tiny.model.maxTokens - around;
    const count = Math.ceil(words.length / room);
    expect(count).toBeGreaterThan(1);
    const borders = Array.from({ length: count + 1 }, (_, i) => Math.ceil((i * words.length) / count));
    // The test's forward pass takes seconds for windows of this length, so the model's own vectors are used.
    const windows = borders.slice(1).map((end, i) => words.slice(borders[i], end).join(' '));
    const vectors = await embedder.embed(windows);
    const sum = Float64Array.from({ length: tiny.model.dimension }, (_, i) =>
      vectors.reduce((total, vector, at) => {
        const tokens = (borders[at + 1] ?? 0) - (borders[at] ?? 0);
        return total + (vector[i] ?? 0) * tokens;
      }, 0),
    );
    const [whole] = await embedder.embed([words.join(' ')]);
    expect(cosine(whole, sum)).toBeGreaterThan(0.99999);
    expect(cosine(whole, vectors[0])).toBeLessThan(0.9999);
  });

  it('gives the same vectors in a worker thread', async () => {
    const worker = await startEmbedder({ modelId: id, env });
    const texts = ['the palace', 'quick drawers and a session of the proxy', ''];
    const [there, here] = [await worker.embed(texts), await embedder.embed(texts)];
    await worker.close();
    for (const [i, vector] of there.entries()) expect(cosine(vector, here[i])).toBeGreaterThan(0.99999);
  });

  it('embeds the empty text', async () => {
    const [vector] = await embedder.embed(['']);
    const { before, after } = tiny.tokenizer;
    const lead = passagePrefix === '' ? [] : idsOf(tiny, passagePrefix);
    expect(cosine(vector, expected(tiny, [before, ...lead, after]))).toBeGreaterThan(0.99999);
  });
});

describe('tokenizers of the hub', () => {
  it.each(['all-MiniLM-L6-v2', 'multilingual-e5-small'])(
    '%s: word by word gives the ids of the whole text',
    async (id) => {
      const model = localModel(id);
      const place = modelFolder(model, env);
      const { tokenize, before, after } = await loadTokenizer(model, place);
      const whole = wholeTokenizer(place);
      expect([before, after]).toEqual(id === 'all-MiniLM-L6-v2' ? [[101], [102]] : [[0], [2]]);
      const words = fc.oneof(
        fc.constantFrom(...'the Palaces [SEP] a[MASK]b <s> <mask> x´y ¨ ﬁne 記憶 ́e 한국어'.split(' ')),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(words, { maxLength: 12 }), async (parts) => {
          const text = shownText(parts.join(' '));
          expect(tokenize(text)).toEqual(whole(text));
          const few = await loadTokenizer(model, place, 'few');
          expect([few.before, few.after]).toEqual([before, after]);
          expect(few.tokenize(text)).toEqual(tokenize(text));
        }),
        { numRuns: 300 },
      );
    },
  );

  it('BERT removes capitals and accents, and splits Chinese', async () => {
    const tiny = tinyModel('all-MiniLM-L6-v2');
    const embedder = await loadEmbedder({ modelId: tiny.model.id, env });
    const [upper, lower, chinese, spaced] = await embedder.embed([
      'THE Palácé',
      'the palace',
      '記憶',
      '記 憶',
    ]);
    expect(cosine(upper, lower)).toBeGreaterThan(0.999999);
    expect(cosine(chinese, spaced)).toBeGreaterThan(0.999999);
    await embedder.close();
  });

  it('SentencePiece normalises wide letters, and finds words without spaces', async () => {
    const tiny = tinyModel('multilingual-e5-small');
    const embedder = await loadEmbedder({ modelId: tiny.model.id, env });
    const [wide, narrow, whole, parted] = await embedder.embed(['ｐｏｒｔ', 'port', '記憶', '記 憶']);
    expect(cosine(wide, narrow)).toBeGreaterThan(0.999999);
    expect(cosine(whole, parted)).toBeLessThan(0.9999);
    await embedder.close();
  });
});
