import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { search } from '../../../src/search/index.js';
import { ModelChanged, Palace } from '../../../src/store/index.js';
import { contentOf } from '../../support/drawers.js';
import { countingEmbedder } from '../../support/embedder.js';
import { it } from '../../support/it.js';
import {
  fileTexts,
  fileUnembedded,
  hashOf,
  TINY_MODEL,
  temporaryPalace,
  vectorOf,
} from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

/** More dimensions than a word has bits, so that codes of the wrong width fail. */
const NEXT = { id: 'next', revision: '7', dimension: 40 };

function nextVectorOf(text: string, dimension = NEXT.dimension): Float32Array {
  const bytes = createHash('sha512').update(`next ${text}`).digest();
  const vector = Float32Array.from({ length: dimension }, (_, i) => (bytes[i] ?? 0) - 127.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** Stores the next vectors of this number of texts. */
function gather(palace: Palace, count = 1_000, dimension = NEXT.dimension): void {
  palace.reembedding.keep(
    palace.reembedding
      .missing(0, count)
      .map(({ vectorId, hash, text }) => ({ vectorId, hash, embedding: nextVectorOf(text, dimension) })),
    palace.reembedding.next ?? NEXT,
  );
}

/** The first result for each of these texts. */
function nearestTo(palace: Palace, texts: readonly string[], of: (text: string) => Float32Array): string[] {
  return texts.map((text) => {
    const [nearest] = palace.vectors.nearest(of(text), 1);
    return palace.reading.drawersByVector([nearest?.vectorId ?? 0], 1)[0]?.text ?? '';
  });
}

const TEXTS = Array.from({ length: 12 }, (_, i) => `text ${i}`);

describe('a change of the model', () => {
  it('takes effect at once when all vectors are stored, and not before', ({ palace }) => {
    fileTexts(palace, 'a', TEXTS);
    palace.vectors.keep([{ hash: hashOf('unfiled'), embedding: vectorOf('unfiled') }], palace.model);
    const reader = Palace.read(palace.folder);
    palace.reembedding.begin(NEXT);
    gather(palace, 5);
    expect(palace.reembedding.counts()).toEqual({ texts: 12, gathered: 5 });
    expect(palace.reembedding.finish()).toBe(false);
    expect(palace.model).toEqual(TINY_MODEL);
    expect(nearestTo(reader, TEXTS, vectorOf)).toEqual(TEXTS);
    expect(problemsIn(palace)).toEqual([]);
    gather(palace);
    expect(palace.reembedding.finish()).toBe(true);
    for (const each of [palace, reader]) {
      expect(each.model).toEqual(NEXT);
      expect(each.reembedding.next).toBeUndefined();
      expect(nearestTo(each, TEXTS, nextVectorOf)).toEqual(TEXTS);
      expect(problemsIn(each)).toEqual([]);
    }
    reader.close();
    expect(palace.vectors.has(hashOf('unfiled'))).toBe(false);
    expect(palace.reembedding.unfinished).toBe(true);
    palace.tidy();
    expect(palace.reembedding.unfinished).toBe(false);
    const another = Palace.write(palace.folder, NEXT);
    expect(another.reembedding.counts()).toEqual({ texts: 12, gathered: 0 });
    expect(() => Palace.write(palace.folder, TINY_MODEL)).toThrow(/next@7\/40/);
    another.close();
  });

  it('files with the new model in the same process', ({ palace }) => {
    fileTexts(palace, 'a', TEXTS);
    palace.reembedding.begin(NEXT);
    gather(palace);
    palace.reembedding.finish();
    const old = [{ hash: hashOf('old'), embedding: vectorOf('old') }];
    for (const keep of [
      () => palace.vectors.keep(old, TINY_MODEL),
      () =>
        palace.drawerVectors.restore(
          [{ drawer: { id: 1, text: 'old' }, ...(old[0] as (typeof old)[0]) }],
          TINY_MODEL,
        ),
    ])
      expect(keep).toThrow(ModelChanged);
    expect(palace.vectors.has(hashOf('old'))).toBe(false);
    palace.vectors.keep([{ hash: hashOf('new'), embedding: nextVectorOf('new') }], palace.model);
    palace.remove(palace.sources.byKey('a')?.id ?? 0);
    palace.tidy();
    expect(problemsIn(palace)).toEqual([]);
  });

  it('continues with the same model, and starts again with another', ({ palace }) => {
    fileTexts(palace, 'a', TEXTS);
    palace.reembedding.begin(NEXT);
    gather(palace, 5);
    palace.reembedding.begin(NEXT);
    expect(palace.reembedding.counts().gathered).toBe(5);
    palace.reembedding.begin({ ...NEXT, revision: '8' });
    expect(palace.reembedding.counts().gathered).toBe(0);
    expect(palace.reembedding.next).toEqual({ ...NEXT, revision: '8' });
    gather(palace, 3);
    palace.reembedding.abandon();
    expect(palace.reembedding.unfinished).toBe(false);
    expect(() => gather(palace)).toThrow(ModelChanged);
    expect(() => palace.reembedding.finish()).toThrow(/no model/);
  });

  it('does not lose a text that gets its vector of the current model meanwhile', ({ palace }) => {
    fileUnembedded(palace, 'a', TEXTS);
    palace.reembedding.begin(NEXT);
    gather(palace, 5);
    palace.vectors.keep(
      TEXTS.map((text) => ({ hash: hashOf(text), embedding: vectorOf(text) })),
      palace.model,
    );
    expect(nearestTo(palace, TEXTS, vectorOf)).toEqual(TEXTS);
    expect(palace.reembedding.counts()).toEqual({ texts: 12, gathered: 5 });
  });

  it('is tested on texts from the whole palace', ({ palace }) => {
    const sampleOf = (count: number) => palace.drawerVectors.spread(count).map(({ text }) => text);
    expect(sampleOf(5)).toEqual([]);
    fileTexts(palace, 'a', TEXTS);
    const sample = sampleOf(5);
    expect(sample.length).toBeGreaterThan(2);
    expect(sample.length).toBeLessThanOrEqual(5);
    expect(TEXTS).toEqual(expect.arrayContaining(sample));
    expect(sampleOf(100)).toEqual(TEXTS);
  });

  it('leaves nothing of the former model, even if the run was killed before the cleanup', ({ palace }) => {
    fileTexts(palace, 'a', TEXTS);
    palace.reembedding.begin(NEXT);
    gather(palace);
    palace.reembedding.finish();
    palace.reembedding.begin(TINY_MODEL);
    expect(palace.reembedding.counts().gathered).toBe(0);
    expect(palace.reembedding.missing(0, 100)).toHaveLength(TEXTS.length);
  });

  it('works in an empty palace, too', ({ palace }) => {
    palace.reembedding.begin(NEXT);
    expect(palace.reembedding.missing(0, 10)).toEqual([]);
    expect(palace.reembedding.finish()).toBe(true);
    expect(palace.model).toEqual(NEXT);
  });

  it('keeps no vector for a slot with a new text, and none of a wrong size', ({ palace }) => {
    fileTexts(palace, 'a', ['one', 'two']);
    palace.reembedding.begin(NEXT);
    const [late] = palace.reembedding.missing(0, 1);
    if (late === undefined) throw new Error('nothing is missing');
    gather(palace);
    palace.remove(palace.sources.byKey('a')?.id ?? 0);
    palace.vectors.releaseUnused();
    fileTexts(palace, 'b', ['three', 'four']);
    const slots = palace.reembedding.missing(0, 10);
    expect(slots.map(({ vectorId, text }) => [vectorId, text])).toEqual([
      [late.vectorId, 'three'],
      [late.vectorId + 1, 'four'],
    ]);
    palace.reembedding.keep([{ ...late, embedding: nextVectorOf('one') }], NEXT);
    expect(palace.reembedding.counts().gathered).toBe(0);
    expect(() => gather(palace, 1, TINY_MODEL.dimension)).toThrow(/cannot be filed/);
    gather(palace);
    expect(palace.reembedding.finish()).toBe(true);
    expect(nearestTo(palace, ['three', 'four'], nextVectorOf)).toEqual(['three', 'four']);
  });

  it('gives every text its own vector, with any changes between two runs', () => {
    const text = fc.constantFrom(...TEXTS);
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      texts: fc.array(text, { maxLength: 8 }),
      gathered: fc.nat({ max: 5 }),
      compact: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const palace = temporaryPalace();
        palace.reembedding.begin(NEXT);
        const last = new Map<string, string[]>();
        for (const { key, texts, gathered, compact } of steps) {
          gather(palace, gathered);
          fileTexts(palace, key, texts);
          last.set(key, texts);
          palace.vectors.releaseUnused();
          if (compact) palace.vectors.compact(true);
          expect(problemsIn(palace)).toEqual([]);
        }
        gather(palace);
        expect(palace.reembedding.finish()).toBe(true);
        const texts = [...new Set([...last.values()].flat())].sort();
        expect(nearestTo(palace, texts, nextVectorOf)).toEqual(texts);
        const { vectors } = contentOf(palace.folder) as { vectors: { hash: string; embedding: string }[] };
        const bytes = (vector: Float32Array) => Buffer.from(vector.buffer).toString('hex').toUpperCase();
        expect(new Map(vectors.map(({ hash, embedding }) => [hash, embedding]))).toEqual(
          new Map(
            texts.map((each) => [hashOf(each).toString('hex').toUpperCase(), bytes(nextVectorOf(each))]),
          ),
        );
        expect(problemsIn(palace)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a search', () => {
  it('never compares its question with vectors of another model', async ({ palace }) => {
    fileTexts(palace, 'a', TEXTS);
    const reader = Palace.read(palace.folder);
    const ask = (options: Partial<Parameters<typeof search>[0]> = {}) =>
      search({
        palace: reader,
        embedder: countingEmbedder(),
        question: 'text 3',
        limit: 3,
        by: 'drawer',
        ...options,
      });
    expect((await ask()).hits).toHaveLength(3);
    palace.reembedding.begin(NEXT);
    gather(palace);
    expect((await ask()).hits).toHaveLength(3);
    palace.reembedding.finish();
    await expect(ask()).rejects.toThrow(ModelChanged);
    reader.close();
  });
});
