import { expect } from 'vitest';
import type { Batch } from '../../src/core/contract.js';
import { mine } from '../../src/miner/mine.js';
import type { MineOptions } from '../../src/miner/mining.js';
import type { Palace } from '../../src/store/index.js';
import { type CountingEmbedder, countingEmbedder } from './embedder.js';
import { stampOf } from './palace.js';
import { problemsIn } from './soundness.js';

/** One run of the miner, after which the palace is sound; `texts` are those that were embedded. */
export async function mined(
  palace: Palace,
  batches: Batch | readonly Batch[],
  changes: Partial<MineOptions> & { counting?: CountingEmbedder } = {},
) {
  const { counting = countingEmbedder(), ...options } = changes;
  const run = stampOf(palace);
  const result = await mine({
    palace,
    batches: [batches].flat(),
    run,
    addedBy: 'test',
    embedder: async () => counting,
    ...options,
  });
  palace.runs.end(run.id, { exitCode: result.left > 0 ? 3 : 0, counts: {}, skipped: [] });
  expect(problemsIn(palace)).toEqual([]);
  return { ...result, texts: counting.texts };
}
