import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/embedding/engine.js';
import { DEFAULT_MODEL_ID, localModel, modelFolder } from '../../src/embedding/index.js';
import { shownText } from '../../src/embedding/text.js';
import { loadTokenizer, type Tokenize } from '../../src/embedding/tokenize.js';
import { cosine, REFERENCE, wholeTokenizer } from './support.js';

const model = localModel(DEFAULT_MODEL_ID);
const folder = modelFolder(model);
const path = join(folder, 'tokenizer.json');
const ODD_TEXTS = [
  'a ☃☃ ☃ b ▁ ▁▁ c▁d',
  'x´y ¨ ﬁne ½ ① Ａ １',
  '한국어 日本語 العربية e\u0301 \u0301 combining \u200d joiner',
  '<s> </s> \ufffd extra_token_id_1 {"a": [1, 2]} --flag=/usr/bin/env',
  `${'A1b2'.repeat(20)} after`,
];

describe('tokenizer against the original', () => {
  let byWord: Tokenize;
  let whole: Tokenize;
  beforeAll(async () => {
    ({ tokenize: byWord } = await loadTokenizer(model, folder));
    whole = wholeTokenizer(folder);
  });

  it('gives the 39 reference texts their token ids', () => {
    for (const { text, ids } of REFERENCE) expect(whole(text)).toEqual(ids);
  });

  it('word by word gives the ids of the whole text, with collapsed white space', () => {
    const texts = REFERENCE.map(({ text }) => shownText(text));
    for (const text of [...texts, texts.join(' ')]) expect(byWord(text)).toEqual(whole(text));
  });

  it.each(ODD_TEXTS)('word by word gives the ids of the whole text: %s', (text) => {
    expect(byWord(text)).toEqual(whole(text));
    expect(byWord(text)).toEqual(byWord(text));
  });

  it('a vocabulary of its own gives a text the same ids', async () => {
    const vocabulary: [string, number][] = JSON.parse(readFileSync(path, 'utf8')).model.vocab;
    const pieces = vocabulary.map(([piece]) => piece.replaceAll('▁', ' '));
    const texts = [
      ...REFERENCE.map(({ text }) => text),
      ...ODD_TEXTS,
      ...readFileSync('docs/cli.md', 'utf8').split('\n'),
      ...Array.from({ length: 500 }, (_, n) => pieces.filter((_piece, id) => id % 499 === n % 499).join('')),
      'x '.repeat(3000),
    ].map(shownText);
    expect(texts.length).toBeGreaterThan(1000);
    // The first five texts of a tokenizer have a vocabulary of their own, the sixth has the whole.
    for (let from = 0; from < texts.length; from += 6) {
      const few = await loadTokenizer(model, folder, 'few');
      for (const text of texts.slice(from, from + 6)) expect(few.tokenize(text), text).toEqual(byWord(text));
    }
  });

  it('no piece of the vocabulary contains an inner space', async () => {
    const { default: tokenizer } = await import(path, { with: { type: 'json' } });
    const over = tokenizer.model.vocab.filter(([piece]: [string]) => piece.lastIndexOf('▁') > 0);
    expect(over).toEqual([]);
  });

  it('handles a word of megabytes', () => {
    expect(byWord('qz'.repeat(200_000)).length).toBeGreaterThan(100_000);
  });
});

// The references are from the bare model: at most 128 tokens, with unchanged white space.
describe.each([
  ['use-lite', 'many', 0.999, 0.9995],
  ['use-lite', 'few', 0.999, 0.9995],
  ['use-lite-int8', 'many', 0.998, 0.999],
  ['use-lite-int8', 'few', 0.998, 0.999],
] as const)('vectors of %s against the original, loaded for %s texts', (id, purpose, least, mean) => {
  const model = localModel(id);
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.load({ model, folder, threads: 1, purpose, batch: 'large' });
  });
  afterAll(() => engine.close());

  it(`gives the tokens of the 39 reference texts their vectors (cosine ≥ ${least}, ${mean} on average)`, async () => {
    expect(REFERENCE).toHaveLength(39);
    const vectors = await engine.infer(REFERENCE.map(({ ids }) => ids.slice(0, model.maxTokens)));
    const found = REFERENCE.map(({ embedding }, index) => cosine(vectors[index], embedding));
    for (const [index, { text }] of REFERENCE.entries()) {
      expect(found[index], text.slice(0, 60)).toBeGreaterThanOrEqual(least);
    }
    expect(found.reduce((sum, one) => sum + one) / found.length).toBeGreaterThanOrEqual(mean);
  });

  it('gives a text the vector of its tokens', async () => {
    const short = REFERENCE.filter(
      ({ text, ids }) => ids.length <= model.maxTokens && !/\s\s|^\s|\s$|[^\S ]/u.test(text),
    );
    expect(short.length).toBeGreaterThan(20);
    const texts = short.map(({ text }) => text);
    const vectors = await engine.embed(texts, 'passage');
    for (const [index, { embedding, text }] of short.entries()) {
      expect(cosine(vectors[index], embedding), text.slice(0, 60)).toBeGreaterThanOrEqual(least);
    }
  });

  it('gives a text the same vector alone and in a batch (cosine ≥ 0.99999)', async () => {
    const rows = REFERENCE.map(({ ids }) => ids.slice(0, model.maxTokens));
    const together = await engine.infer(rows);
    for (const [index, row] of rows.entries()) {
      const [alone] = await engine.infer([row]);
      expect(cosine(together[index], alone)).toBeGreaterThanOrEqual(0.99999);
    }
  });
});
