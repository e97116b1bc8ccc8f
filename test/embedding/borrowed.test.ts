import { describe, expect, it } from 'vitest';
import { Borrowed, type Lender } from '../../src/embedding/borrowed.js';
import { packVectors, unpackVectors } from '../../src/embedding/packed.js';
import { countingEmbedder } from '../support/embedder.js';
import { vectorOf } from '../support/palace.js';

/** @param answers calls that are answered before the lender ends */
function lentFor(answers: number) {
  const texts: string[] = [];
  const reasons: unknown[] = [];
  const own = countingEmbedder();
  let left = answers;
  const lender: Lender = {
    async embed(batch, _role, signal) {
      signal.throwIfAborted();
      left -= 1;
      if (left < 0) throw new Error('it has ended');
      texts.push(...batch);
      return batch.map(vectorOf);
    },
    close: async () => {},
  };
  const embedder = new Borrowed(own.model, lender, async (reason) => {
    reasons.push(reason);
    return own;
  });
  return { embedder, texts, own, reasons };
}

describe('a borrowed model', () => {
  it('is the only one while its owner answers', async () => {
    const { embedder, own } = lentFor(1);
    expect(await embedder.embed(['one', 'two'])).toEqual(['one', 'two'].map(vectorOf));
    expect(own.texts).toEqual([]);
  });

  it('is replaced for good when its owner ends: every call is answered, and none is embedded twice', async () => {
    const { embedder, texts, own, reasons } = lentFor(1);
    const calls = [['one'], ['two', 'three'], ['four']];
    const vectors = await Promise.all(calls.map((call) => embedder.embed(call)));
    expect(vectors).toEqual(calls.map((call) => call.map(vectorOf)));
    await embedder.embed(['five']);
    expect([texts, own.texts]).toEqual([['one'], ['two', 'three', 'four', 'five']]);
    expect(reasons.map(String)).toEqual(['Error: it has ended']);
  });

  it('is not replaced for a call that is not wanted any more, or after its end', async () => {
    const { embedder, reasons } = lentFor(0);
    await expect(embedder.embed(['one'], 'passage', AbortSignal.abort('enough'))).rejects.toBe('enough');
    await embedder.close();
    await expect(embedder.embed(['one'])).rejects.toMatchObject({ code: 'interrupted' });
    expect(reasons).toEqual([]);
  });
});

describe('packed vectors', () => {
  it('are the same afterwards, bit by bit', () => {
    const vectors = [Float32Array.of(1e-45, -0, Number.NaN), Float32Array.of(0.1, 1 / 3, 3.4e38)];
    expect(unpackVectors(packVectors(vectors), 2, 3)).toEqual(vectors);
    // A part of a larger buffer.
    const part = new Float32Array([9, 1, 2, 9]).subarray(1, 3);
    expect(unpackVectors(packVectors([part]), 1, 2)).toEqual([Float32Array.of(1, 2)]);
    expect(unpackVectors(packVectors([]), 0, 512)).toEqual([]);
  });

  it('of another number or dimension are refused', () => {
    const text = packVectors([Float32Array.of(1, 2)]);
    expect(() => unpackVectors(text, 2, 2)).toThrow('8 bytes are not 2 vectors of 2 numbers');
    expect(() => unpackVectors(text, 1, 3)).toThrow('8 bytes');
  });
});
