/**
 * Passages with the vectors of the product's embedder, from which a generated palace derives its
 * drawers. Embedding them takes most of the time, so the vectors are kept in a folder.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedder } from '../../dist/embedding/embedder.js';
import { passage, rareNames } from './passages.mjs';
import { createRandom } from './random.mjs';

const TEXTS_PER_CALL = 500;
/** Median length of a passage in characters. */
const CHARS = 600;

/**
 * @param {{ count: number, seed: number, cache?: string }} options `cache`: a folder for the vectors, made if missing
 * @returns {Promise<{ texts: string[], vectors: Float32Array[], model: object, names: () => string }>} distinct
 *   texts, unit vectors; `names` returns a rare name
 */
export async function basePassages({ count, seed, cache }) {
  // Before the texts are embedded, which takes a minute.
  if (cache) mkdirSync(cache, { recursive: true });
  const random = createRandom(seed);
  const names = rareNames(random);
  const distinct = new Set();
  while (distinct.size < count) distinct.add(passage(random, names, CHARS));
  const texts = [...distinct];
  const embedder = await startEmbedder();
  try {
    const { model } = embedder;
    const file = cache && join(cache, `vectors-${model.id}-${model.revision}-${count}-${seed}.f32`);
    const numbers = file && existsSync(file) ? read(file) : flat(await embedAll(embedder, texts));
    if (file && !existsSync(file)) {
      writeFileSync(`${file}.new`, new Uint8Array(numbers.buffer));
      renameSync(`${file}.new`, file);
    }
    const vectors = texts.map((_, i) => numbers.subarray(i * model.dimension, (i + 1) * model.dimension));
    return { texts, vectors, model, names };
  } finally {
    await embedder.close();
  }
}

const read = (file) => new Float32Array(new Uint8Array(readFileSync(file)).buffer);

function flat(vectors) {
  const numbers = new Float32Array(vectors.length * vectors[0].length);
  vectors.forEach((vector, i) => {
    numbers.set(vector, i * vector.length);
  });
  return numbers;
}

async function embedAll(embedder, texts) {
  const calls = [];
  for (let from = 0; from < texts.length; from += TEXTS_PER_CALL) {
    calls.push(embedder.embed(texts.slice(from, from + TEXTS_PER_CALL)));
  }
  return (await Promise.all(calls)).flat();
}
