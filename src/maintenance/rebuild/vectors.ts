import { type Embedder, textKey } from '../../embedding/index.js';
import type { LostDrawer, Palace, VectoredDrawer } from '../../store/index.js';

/** The same text has a cosine of 0.9999 on two processors and in two batches; vectors of two models have about 0. */
const LEAST_COSINE = 0.99;
/**
 * Size of the sample. 200 drawers find a share of 2 % in 98 of 100 palaces. Embedding all texts would take as long as
 * `mempalace reembed`: half an hour for 100,000 drawers on two cores.
 */
const SAMPLE = 200;
const DOUBTFUL_MOST = 1_000;
/** A killed run loses at most one batch. */
const BATCH_TEXTS = 128;

export interface VectorsOptions {
  palace: Palace;
  /** Must have the palace's model. */
  embedder: Embedder;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Comparison {
  compared: number;
  foreign: number;
}

/**
 * Embeds the texts of drawers whose vector is missing. Finished batches stay when the signal aborts or the process dies.
 *
 * @returns number of restored vectors
 * @throws the signal's reason, or errors of the embedder and the palace
 */
export async function restoreVectors(options: VectorsOptions): Promise<number> {
  const { drawerVectors } = options.palace;
  const next = (after: number) => drawerVectors.lost(after, BATCH_TEXTS);
  return (await replaceAll(next, drawerVectors.countLost(), options)).done;
}

/**
 * Looks for vectors that another model made: embeds again the texts that were filed while the palace had another
 * model, and a sample of the others. Changes nothing.
 *
 * @throws the signal's reason, or errors of the embedder and the palace
 */
export async function findForeignVectors(options: VectorsOptions): Promise<Comparison> {
  const { drawerVectors } = options.palace;
  const some = [...drawerVectors.doubtful(0, DOUBTFUL_MOST), ...drawerVectors.spread(SAMPLE)];
  const drawers = [...new Map(some.map((drawer) => [drawer.id, drawer])).values()];
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
 * Replaces vectors that another model made. Compares all drawers if the sample contains a foreign vector. Finished
 * batches stay when the signal aborts or the process dies.
 *
 * @throws the signal's reason, or errors of the embedder and the palace
 */
export async function replaceForeignVectors(options: VectorsOptions): Promise<Comparison> {
  const { drawerVectors } = options.palace;
  const total = options.palace.drawerCount();
  const result = { compared: 0, foreign: 0 };
  const compareAll = async (next: (after: number) => VectoredDrawer[]): Promise<void> => {
    const { done, replaced } = await replaceAll(next, total, options);
    result.compared += done;
    result.foreign += replaced;
  };
  await compareAll((after) => drawerVectors.doubtful(after, BATCH_TEXTS));
  const sample = drawerVectors.spread(SAMPLE);
  result.compared += sample.length;
  if ((await foreignOf(sample, options)).length > 0)
    await compareAll((after) => drawerVectors.all(after, BATCH_TEXTS));
  return result;
}

/** Embeds all drawers, and stores the vectors of `foreignOf`. */
async function replaceAll(
  next: (after: number) => Drawer[],
  total: number,
  options: VectorsOptions,
): Promise<{ done: number; replaced: number }> {
  const { palace, embedder, onProgress } = options;
  let [done, replaced, after] = [0, 0, 0];
  for (;;) {
    const drawers = next(after);
    const last = drawers.at(-1);
    if (last === undefined) return { done, replaced };
    const found = await foreignOf(drawers, options);
    palace.drawerVectors.restore(found, embedder.model);
    after = last.id;
    done += drawers.length;
    replaced += found.length;
    onProgress?.(Math.min(done, total), total);
  }
}

/** A drawer without a vector, or with one that may be of another model. */
type Drawer = LostDrawer & Partial<VectoredDrawer>;

/** The drawers whose vector is missing or of another model, with their new vectors. */
async function foreignOf(drawers: readonly Drawer[], { embedder, signal }: VectorsOptions) {
  signal?.throwIfAborted();
  const texts = drawers.map(({ text }) => text);
  const vectors = await embedder.embed(texts, 'passage', signal);
  return drawers.flatMap((drawer, index) => {
    const embedding = vectors[index];
    if (embedding === undefined || !isForeign(drawer, embedding)) return [];
    return [{ drawer, hash: textKey(drawer.text), embedding }];
  });
}

function isForeign({ embedding: stored }: Drawer, made: Float32Array): boolean {
  if (stored?.length !== made.length * 4) return true;
  const cosine = made.reduce((sum, value, i) => sum + value * stored.readFloatLE(i * 4), 0);
  return !(cosine >= LEAST_COSINE);
}
