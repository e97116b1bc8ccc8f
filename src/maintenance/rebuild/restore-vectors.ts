import { type Embedder, textKey } from '../../embedding/index.js';
import type { Palace } from '../../store/index.js';

/** Texts embedded together: as many as a killed run may lose. */
const BATCH_TEXTS = 128;

export interface RestoreVectorsOptions {
  palace: Palace;
  /** Starts the embedder of the palace's model; called when a vector is missing. */
  embedder: () => Promise<Embedder>;
  signal?: AbortSignal | undefined;
  /** @param done of `total` drawers */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Embeds again the texts of drawers whose vector is gone. What was embedded stays when the signal aborts or the
 * process dies.
 *
 * @returns how many drawers have a vector again
 * @throws the signal's reason, or what the embedder and the palace throw
 */
export async function restoreVectors(options: RestoreVectorsOptions): Promise<number> {
  const { palace, signal, onProgress } = options;
  const total = palace.lostVectors.count();
  if (total === 0) return 0;
  const embedder = await options.embedder();
  let done = 0;
  onProgress?.(done, total);
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const drawers = palace.lostVectors.some(after, BATCH_TEXTS);
    const last = drawers.at(-1);
    if (last === undefined) return done;
    const texts = drawers.map(({ text }) => text);
    const vectors = await embedder.embed(texts, 'passage', signal);
    palace.lostVectors.restore(
      drawers.flatMap((drawer, index) => {
        const embedding = vectors[index];
        return embedding === undefined ? [] : [{ drawer, hash: textKey(drawer.text), embedding }];
      }),
      embedder.model,
    );
    after = last.id;
    done += drawers.length;
    onProgress?.(done, total);
  }
}
