import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Embedder, loadEmbedder } from '../../src/embedding/index.js';
import { search } from '../../src/search/index.js';
import { Palace } from '../../src/store/index.js';
import { countingEmbedder } from '../support/embedder.js';
import { it } from '../support/it.js';
import { fileTexts, fileUnembedded, filingOf, hashOf, temporaryFolder, vectorOf } from '../support/palace.js';

const byWords = async (palace: Palace, question: string) => {
  const { hits } = await search({ palace, embedder: undefined, question, limit: 10, by: 'source' });
  return hits.map(({ drawer }) => drawer.sourceKey);
};

describe('ranking', () => {
  it('a short source is not behind a long one that repeats the words of the question', async ({ palace }) => {
    const steps = Array.from({ length: 40 }, (_, i) => `step ${i}: the job runs nightly on branch ${i}`);
    fileTexts(palace, 'workflow', steps);
    fileTexts(palace, 'session', ['When does the nightly job run? At two in the morning.']);
    expect(await byWords(palace, 'when does the nightly job run, in the morning')).toEqual([
      'session',
      'workflow',
    ]);
  });

  it('of two equal passages, the one whose source contains the other words is first', async ({ palace }) => {
    fileTexts(palace, 'other', ['the cache is cleared', 'birds and trees', 'rivers']);
    fileTexts(palace, 'wanted', ['the cache is cleared', 'birds and trees', 'the proxy server']);
    for (let i = 0; i < 20; i += 1) fileTexts(palace, `filler ${i}`, [`nothing of interest ${i}`]);
    expect((await byWords(palace, 'cache of the proxy server')).slice(0, 2)).toEqual(['wanted', 'other']);
  });

  it('a passage with most words of a question precedes one that repeats the rarest', async ({ palace }) => {
    fileTexts(palace, 'repeats', ['zeppelin zeppelin zeppelin, and once more zeppelin']);
    fileTexts(palace, 'covers', ['the zeppelin lands on a roof at night']);
    for (let i = 0; i < 9; i += 1) fileTexts(palace, `roof ${i}`, [`a roof, at night, number ${i}`]);
    expect((await byWords(palace, 'zeppelin landing on the roof at night'))[0]).toBe('covers');
  });
});

describe('ranking while some vectors are pending', () => {
  const question = 'the heron sleeps on one leg';
  const found = async (palace: Palace) => {
    const near = (text: string) => vectorOf(text === question ? 'herons rest standing' : text);
    const embedder: Embedder = { ...countingEmbedder(), embed: async (texts) => texts.map(near) };
    const { hits } = await search({ palace, embedder, question, limit: 10, by: 'source' });
    return hits.map(({ drawer }) => drawer.sourceKey);
  };

  it('a source without vectors is where its words put it, neither last nor always first', async ({
    palace,
  }) => {
    fileTexts(palace, 'meant', ['herons rest standing']);
    fileUnembedded(palace, 'worded', ['the heron sleeps on one leg']);
    fileUnembedded(palace, 'one word', ['one of many birds']);
    expect(await found(palace)).toEqual(['worded', 'meant', 'one word']);
  });

  it('without any vector, the order is that of the words alone', async ({ palace }) => {
    const steps = Array.from({ length: 40 }, (_, i) => `step ${i}: a heron sleeps on one branch ${i}`);
    fileUnembedded(palace, 'long', steps);
    fileUnembedded(palace, 'short', ['On which leg does the heron sleep? On one.']);
    expect(await found(palace)).toEqual(await byWords(palace, question));
  });
});

describe('ranking with the real model', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await loadEmbedder();
  });
  afterAll(() => embedder.close());

  it('puts the only passage with a rare word first', async () => {
    const texts = [
      'The parser throws ERR_QUOTA_7 when the mailbox of a tenant is full.',
      'Errors of the parser are listed in the handbook, with a cause and a cure for each.',
      'A mailbox is a folder per tenant. Its size is limited by the plan.',
      'We use zstd because gzip was too slow for the nightly export.',
      'Compression makes the nightly export smaller, but it costs time.',
      'SameSite cookies broke the login of the old client, so the flag is Lax.',
      'The login page sets a cookie for thirty days.',
      'Retries wait two seconds, then four, then eight.',
    ];
    const palace = Palace.write(temporaryFolder(), embedder.model);
    try {
      const vectors = await embedder.embed(texts, 'passage');
      const embedded = texts.map((text, i) => ({
        hash: hashOf(text),
        embedding: vectors[i] as Float32Array,
      }));
      palace.vectors.keep(embedded, embedder.model);
      const id = palace.runs.begin({
        command: 'test',
        scope: '',
        narrowed: false,
        versions: {},
        startedMs: 1,
      });
      const run = { id, now: '2026-01-02T03:04:05.000Z' };
      for (const [i, text] of texts.entries()) palace.file(filingOf(`${i}`, [text]), run);
      for (const [word, place] of [
        ['ERR_QUOTA_7', '0'],
        ['zstd', '3'],
        ['samesite', '5'],
        ['retries', '7'],
      ]) {
        const [first] = (await search({ palace, embedder, question: word ?? '', limit: 3 })).hits;
        expect([word, first?.drawer.sourceKey]).toEqual([word, place]);
      }
    } finally {
      palace.close();
    }
  });
});
