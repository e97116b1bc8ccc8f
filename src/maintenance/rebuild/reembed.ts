import type { Embedder, EmbeddingModel } from '../../embedding/index.js';
import { untilAborted } from '../../platform/until-aborted.js';
import type { Palace } from '../../store/index.js';

/** Large enough to sort by length; a killed run loses a second or two. */
const BATCH_TEXTS = 128;
const SAMPLE_TEXTS = 48;

export interface ReembedOptions {
  palace: Palace;
  model: EmbeddingModel;
  /** Starts the embedder of `model`; called only when a text must be embedded. */
  embedder: () => Promise<Embedder>;
  signal?: AbortSignal | undefined;
  /** @param done includes the texts of earlier runs */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ReembedResult {
  /** Texts that have a vector of the model now. */
  texts: number;
  /** Texts that an earlier, unfinished run embedded. */
  resumed: number;
  embedded: number;
}

/**
 * Embeds every text of the palace with another model, then switches to the new vectors; until then the old ones are
 * used. To be called under the run lock. If the signal aborts or the process dies, the next call continues from there.
 *
 * @throws the signal's reason, or errors of the embedder and the palace
 */
export async function reembed(options: ReembedOptions): Promise<ReembedResult> {
  const { palace, model, signal, onProgress } = options;
  const { reembedding } = palace;
  palace.vectors.releaseUnused();
  reembedding.begin(model);
  const { texts, gathered } = reembedding.counts();
  let embedded = 0;
  let embedder: Embedder | undefined;
  onProgress?.(gathered, texts);
  do {
    for (let after = 0; ; ) {
      signal?.throwIfAborted();
      const missing = reembedding.missing(after, BATCH_TEXTS);
      const last = missing.at(-1);
      if (last === undefined) break;
      embedder ??= await options.embedder();
      signal?.throwIfAborted();
      const before = gathered + embedded;
      const work = embedder.embed(
        missing.map(({ text }) => text),
        'passage',
        signal,
        (share) => onProgress?.(before + Math.floor(share * missing.length), texts),
      );
      const vectors = await untilAborted(work, signal);
      reembedding.keep(
        missing.flatMap(({ vectorId, hash }, index) => {
          const embedding = vectors[index];
          return embedding === undefined ? [] : [{ vectorId, hash, embedding }];
        }),
        embedder.model,
      );
      after = last.vectorId;
      embedded += missing.length;
      onProgress?.(gathered + embedded, texts);
    }
    // A drawer may have been written meanwhile.
  } while (!reembedding.finish());
  palace.tidy();
  return { texts: gathered + embedded, resumed: gathered, embedded };
}

/** Texts per second of a loaded model on a sample of the palace's texts; undefined if there are none. */
export async function speedOf(embedder: Embedder, palace: Palace): Promise<number | undefined> {
  const sample = palace.drawerVectors.spread(SAMPLE_TEXTS).map(({ text }) => text);
  if (sample.length === 0) return undefined;
  const started = performance.now();
  await embedder.embed(sample, 'passage');
  return sample.length / ((performance.now() - started) / 1000);
}
