import { textKey } from '../../embedding/text.js';
import { conditionOf, type DrawerView, ModelChanged, type Palace } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';

export async function similar(
  { handle, models }: Resources,
  { texts, threshold, limit, within }: Input<'similar'>,
  { signal }: ServiceCall,
): Promise<Output<'similar'>> {
  for (;;) {
    const palace = handle.get();
    const embedder = await models.wait(palace.model, signal);
    try {
      const vectors = await embedder.embed(texts, 'passage');
      return palace.snapshot(() => {
        palace.vectors.requireModel(embedder.model);
        const inPlace = nearestIn(palace, within);
        const found = texts.map((text, index) => inPlace(vectors[index], textKey(text), limit));
        return { matches: found.map((all) => all.filter(({ similarity }) => similarity >= threshold)) };
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
    const others = near.filter(({ vectorId }) => vectorId !== same);
    return [...(same === undefined ? [] : [{ vectorId: same, cosine: 1 }]), ...others]
      .flatMap(({ vectorId, cosine }) =>
        palace.reading.drawersByVector(vectorId, limit, among).map((drawer) => match(drawer, cosine)),
      )
      .slice(0, limit);
  };
}

function match({ drawerId, title, sourceFile, wing, room, text }: DrawerView, cosine: number) {
  // Rounded, as agents see it: 0.9 is at least 0.9.
  const similarity = Math.round(Math.min(1, Math.max(0, cosine)) * 1_000) / 1_000;
  return { ...{ drawerId, title, sourceFile, wing, room, text }, similarity };
}
