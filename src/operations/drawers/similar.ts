import { textKey } from '../../embedding/text.js';
import { conditionOf, type DrawerView, ModelChanged, type Palace } from '../../store/index.js';
import { previewOf } from '../listing/drawers.js';
import type { Context } from '../operation.js';
import { told } from '../told.js';

/** Drawers per text, at most. */
const MATCHES = 5;
/**
 * Per text the most similar drawers, from a similarity on. The same text, white space aside, is 1. Waits for the model.
 *
 * @param within the only wing
 */
export async function similarTo(
  { handle, models, call: { signal } }: Context,
  texts: string[],
  threshold: number,
  within: string | undefined,
) {
  for (;;) {
    const palace = handle.get();
    const embedder = await models.wait(palace.model, signal);
    try {
      const vectors = await embedder.embed(texts, 'passage');
      return palace.snapshot(() => {
        palace.vectors.requireModel(embedder.model);
        const inPlace = nearestIn(palace, within);
        return texts.map((text, index) =>
          inPlace(vectors[index], textKey(text), MATCHES).filter(({ similarity }) => similarity >= threshold),
        );
      });
    } catch (error) {
      if (!(error instanceof ModelChanged)) throw error;
      signal.throwIfAborted();
    }
  }
}

function nearestIn(palace: Palace, wing: string | undefined) {
  const among = conditionOf({ wing });
  const allowed = wing === undefined ? undefined : palace.reading.select(among).vectors;
  return (vector: Float32Array | undefined, key: Buffer, limit: number) => {
    if (vector === undefined) return [];
    // It may have no vector yet.
    const same = palace.vectors.slotOf(key);
    const near = palace.vectors.nearest(vector, limit, allowed);
    const cosines = new Map(near.map(({ vectorId, cosine }) => [vectorId, cosine]));
    if (same !== undefined) cosines.set(same, 1);
    const ids = [...new Set([same ?? [], near.map(({ vectorId }) => vectorId)].flat())];
    const drawers = palace.reading.drawersByVector(ids, limit, among).slice(0, limit);
    return drawers.map((drawer) => match(drawer, cosines.get(drawer.vectorId) ?? 0));
  };
}

function match(
  { drawerId: id, title, sourceFile: source_file, wing, room, text }: DrawerView,
  cosine: number,
) {
  // Rounded, as agents see it: 0.9 is at least 0.9.
  const similarity = Math.round(Math.min(1, Math.max(0, cosine)) * 1_000) / 1_000;
  return { id, ...told({ title, source_file }), wing, room, similarity, content: previewOf(text) };
}
