import { type Embedder, textKey } from '../../embedding/index.js';
import type { Palace, VectoredDrawer } from '../../store/index.js';

/**
 * The same text has a cosine of 0.9999 on two processors and in two batches; the vectors of two models have about 0.
 */
const LEAST_COSINE = 0.99;
/**
 * Drawers from all over a palace that are compared. 200 find a share of 2 % in 98 of 100 palaces. Embedding all texts
 * would take as long as `mempalace reembed`: half an hour for 100,000 drawers on two cores.
 */
const SAMPLE = 200;
/** Drawers of short writes that a look compares. */
const DOUBTFUL_MOST = 1_000;
/** Texts embedded together. */
const BATCH_TEXTS = 128;

export interface ForeignVectorsOptions {
  palace: Palace;
  /** Of the palace's model. */
  embedder: Embedder;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What a comparison came to. */
export interface Comparison {
  /** Drawers whose text was embedded again. */
  compared: number;
  /** Those of them whose vector the palace's model did not make. */
  foreign: number;
}

/**
 * Looks for vectors that another model made: embeds the texts again that were filed while the palace had another
 * model, and a sample of the others. Changes nothing.
 *
 * @throws the signal's reason, or what the embedder and the palace throw
 */
export async function findForeignVectors(options: ForeignVectorsOptions): Promise<Comparison> {
  const { vectorSamples } = options.palace;
  const drawers = unique([...vectorSamples.doubtful(0, DOUBTFUL_MOST), ...vectorSamples.spread(SAMPLE)]);
  const result = { compared: 0, foreign: 0 };
  for (let at = 0; at < drawers.length; at += BATCH_TEXTS) {
    const batch = drawers.slice(at, at + BATCH_TEXTS);
    result.foreign += (await foreignOf(batch, options)).length;
    result.compared += batch.length;
    options.onProgress?.(result.compared, drawers.length);
  }
  return result;
}

/**
 * Replaces vectors that another model made. All drawers are compared when one of the sample is foreign. What was
 * replaced stays when the signal aborts or the process dies.
 *
 * @throws the signal's reason, or what the embedder and the palace throw
 */
export async function replaceForeignVectors(options: ForeignVectorsOptions): Promise<Comparison> {
  const { vectorSamples } = options.palace;
  const result = { compared: 0, foreign: 0 };
  await replaceAll((after) => vectorSamples.doubtful(after, BATCH_TEXTS), result, options);
  const sample = vectorSamples.spread(SAMPLE);
  const foreign = await foreignOf(sample, options);
  result.compared += sample.length;
  if (foreign.length > 0)
    await replaceAll((after) => vectorSamples.some(after, BATCH_TEXTS), result, options);
  return result;
}

async function replaceAll(
  next: (after: number) => VectoredDrawer[],
  result: Comparison,
  options: ForeignVectorsOptions,
): Promise<void> {
  const { palace, embedder, onProgress } = options;
  const total = palace.drawerCount();
  for (let after = 0; ; ) {
    const drawers = next(after);
    const last = drawers.at(-1);
    if (last === undefined) return;
    const found = await foreignOf(drawers, options);
    palace.lostVectors.restore(found, embedder.model);
    result.foreign += found.length;
    result.compared += drawers.length;
    after = last.id;
    onProgress?.(Math.min(result.compared, total), total);
  }
}

/** Those of the drawers whose vector the model did not make, with the one that it makes. */
async function foreignOf(drawers: readonly VectoredDrawer[], { embedder, signal }: ForeignVectorsOptions) {
  signal?.throwIfAborted();
  const vectors = await embedder.embed(
    drawers.map(({ text }) => text),
    'passage',
    signal,
  );
  return drawers.flatMap((drawer, index) => {
    const embedding = vectors[index];
    if (embedding === undefined || cosineOf(drawer.embedding, embedding) >= LEAST_COSINE) return [];
    return [{ drawer, hash: textKey(drawer.text), embedding }];
  });
}

/** NaN where the numbers of the two differ. */
function cosineOf(stored: Buffer, made: Float32Array): number {
  if (stored.length !== made.length * 4) return Number.NaN;
  return made.reduce((sum, value, i) => sum + value * stored.readFloatLE(i * 4), 0);
}

function unique(drawers: readonly VectoredDrawer[]): VectoredDrawer[] {
  return [...new Map(drawers.map((drawer) => [drawer.id, drawer])).values()];
}
