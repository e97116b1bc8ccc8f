import { DEFAULT_MODEL_ID, type Embedder, modelById } from '../../src/embedding/index.js';
import { TINY_MODEL, vectorOf } from './palace.js';

/** The model of test palaces: vectors depend only on the text, so the pipeline is tested without inference. */
const TEST_MODEL: Embedder['model'] = { ...modelById(DEFAULT_MODEL_ID), ...TINY_MODEL };

export interface CountingEmbedder extends Embedder {
  /** Texts embedded so far, in order. */
  readonly texts: string[];
}

/** @param before runs before each call, such as to fail or to abort at the n-th */
export function countingEmbedder(before: (call: number) => void = () => {}): CountingEmbedder {
  const texts: string[] = [];
  let calls = 0;
  return {
    model: TEST_MODEL,
    texts,
    async embed(batch) {
      calls += 1;
      before(calls);
      texts.push(...batch);
      return batch.map(vectorOf);
    },
    async close() {},
  };
}
