import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../src/miner/embed/engine.js';
import { DEFAULT_MODEL_ID, localModel, modelFolder } from '../../../src/miner/embed/index.js';
import { embeddedText, shownText } from '../../../src/miner/embed/text.js';
import { loadTokenizer, type Tokenize } from '../../../src/miner/embed/tokenize.js';
import { cosine, REFERENCE } from './support.js';

const model = localModel(DEFAULT_MODEL_ID);
const folder = modelFolder(model);
const path = join(folder, model.tokenizerFile);

describe('tokenizer against the original', () => {
  let byWord: Tokenize;
  let whole: Tokenize;
  beforeAll(async () => {
    ({ tokenize: byWord } = await loadTokenizer(model, folder));
    ({ tokenize: whole } = await loadTokenizer({ ...model, tokensWithinWords: false }, folder));
  });

  it('gives the 39 reference texts their token ids', () => {
    for (const { text, ids } of REFERENCE) expect(whole(text)).toEqual(ids);
  });

  it('word by word gives the ids of the whole text, once white space is collapsed', () => {
    const texts = REFERENCE.map(({ text }) => embeddedText(text, model, 'passage'));
    for (const text of [...texts, texts.join(' ')]) expect(byWord(text)).toEqual(whole(text));
  });

  it.each([
    'a ☃☃ ☃ b ▁ ▁▁ c▁d',
    'x´y ¨ ﬁne ½ ① Ａ １',
    '한국어 日本語 العربية e\u0301 \u0301 combining \u200d joiner',
    '<s> </s> \ufffd extra_token_id_1 {"a": [1, 2]} --flag=/usr/bin/env',
    `${'A1b2'.repeat(20)} after`,
  ])('word by word gives the ids of the whole text: %s', (text) => {
    expect(byWord(text)).toEqual(whole(text));
    expect(byWord(text)).toEqual(byWord(text));
  });

  it('no piece of the vocabulary reaches over a space', async () => {
    const { default: tokenizer } = await import(path, { with: { type: 'json' } });
    const over = tokenizer.model.vocab.filter(([piece]: [string]) => piece.lastIndexOf('▁') > 0);
    expect(over).toEqual([]);
    expect(model.tokensWithinWords).toBe(true);
  });

  it('takes a word of megabytes', () => {
    expect(byWord('qz'.repeat(200_000)).length).toBeGreaterThan(100_000);
  });
});

// The references were made by the bare model: no more than 128 tokens read, and white space as it stands. Those
// that collapsing it changes cannot be asked for here; their tokens are compared above.
const bare = { ...model, tokensWithinWords: false };

describe.each(['many', 'few'] as const)('vectors against the original, loaded for %s texts', (purpose) => {
  let engine: Engine;
  let texts: { text: string; embedding: number[] }[];
  beforeAll(async () => {
    engine = await Engine.load({ model: bare, folder, threads: 1, purpose });
    const { tokenize } = await loadTokenizer(bare, folder);
    texts = REFERENCE.flatMap(({ text, ids, embedding }) => {
      const read = ids.slice(0, bare.maxTokens);
      const shown = beginning(text, read, tokenize);
      return String(tokenize(shownText(shown))) === String(read) ? [{ text: shown, embedding }] : [];
    });
  });
  afterAll(() => engine.release());

  it('gives the reference texts their vectors (cosine ≥ 0.999)', async () => {
    expect(texts).toHaveLength(33);
    const vectors = await engine.embed(
      texts.map(({ text }) => text),
      'passage',
    );
    for (const [index, { embedding, text }] of texts.entries()) {
      expect(cosine(vectors[index], embedding), text.slice(0, 60)).toBeGreaterThanOrEqual(0.999);
    }
  });
});

/** As much of the text as has these tokens. */
function beginning(text: string, ids: number[], tokenize: Tokenize): string {
  for (let end = text.length; end >= 0; end--) {
    const tokens = tokenize(text.slice(0, end));
    if (tokens.length === ids.length && tokens.every((id, index) => id === ids[index]))
      return text.slice(0, end);
  }
  throw new Error(`no beginning of ${text.slice(0, 60)} has the given tokens`);
}
