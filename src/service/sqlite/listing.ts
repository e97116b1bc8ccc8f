import { UserError } from '../../core/errors.js';
import { isOfKind, KEY_KIND } from '../../core/source-key.js';
import { textKey } from '../../embedding/text.js';
import { findTarget } from '../../reading/index.js';
import { type DrawerView, ModelChanged, type Palace } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Owned } from './owned.js';
import { Views } from './views.js';

export async function status(
  { handle, models }: Owned,
  { runs }: Input<'status'>,
  { signal }: ServiceCall,
): Promise<Output<'status'>> {
  const palace = handle.get();
  const { id } = palace.model;
  const { embedder, trouble } = await models.forQuestion(palace.model, { patient: false, signal });
  return {
    drawers: palace.drawerCount(),
    model: { id, loaded: embedder !== undefined, reason: trouble?.text },
    coverage: palace.vectors.coverage(),
    runs: palace.runs
      .latest(runs)
      .map(({ command, startedMs, exitCode }) => ({ command, startedMs, exitCode })),
    warnings: palace.warnings(),
  };
}

export function places(palace: Palace): Output<'places'> {
  return palace.snapshot(() => ({ wings: palace.listing.wings(), rooms: palace.rooms() }));
}

export function roomMap(palace: Palace, { wing }: Input<'roomMap'>): Output<'roomMap'> {
  return { rooms: palace.listing.roomMap(wing) };
}

/** Ids of one text's drawers in an answer, at most. */
const IDS_SHOWN = 20;

export function oneDrawer(palace: Palace, { id }: Input<'oneDrawer'>): Output<'oneDrawer'> {
  return palace.snapshot(() => {
    const target = findTarget(palace, id);
    if (target.kind === 'source')
      throw new UserError('usage', `${JSON.stringify(id)} is a source, not a drawer`, {
        hint: 'mempalace_show reads a whole source',
      });
    const { sourceId, sourceKey } = target.drawer;
    const drawer = new Views(palace).drawer(target.drawer);
    const content = isOfKind(sourceKey, KEY_KIND.drawer) ? palace.sources.textOf(sourceId) : drawer.text;
    return content === drawer.text
      ? { drawer }
      : { drawer, content, ids: idsOf(palace, sourceId).slice(0, IDS_SHOWN) };
  });
}

export function idsOf(palace: Palace, sourceId: number): string[] {
  const { drawers: count = 0 } = palace.reading.source(sourceId) ?? {};
  return palace.reading.drawersBetween(sourceId, 0, count).map(({ drawerId }) => drawerId);
}

export function drawers(palace: Palace, { filter, ...page }: Input<'drawers'>): Output<'drawers'> {
  return palace.snapshot(() => ({
    drawers: palace.listing.drawers(filter, page).map(({ drawerId, wing, room, sourceFile, day, text }) => ({
      ...{ drawerId, wing, room, sourceFile, day, text },
    })),
    total: palace.listing.countDrawers(filter),
  }));
}

export async function similar(
  { handle, models }: Owned,
  { texts, threshold, limit }: Input<'similar'>,
  { signal }: ServiceCall,
): Promise<Output<'similar'>> {
  for (;;) {
    const palace = handle.get();
    const embedder = await models.wait(palace.model, signal);
    try {
      const vectors = await embedder.embed(texts, 'passage');
      return palace.snapshot(() => {
        palace.vectors.requireModel(embedder.model);
        const found = texts.map((text, index) => nearest(palace, vectors[index], textKey(text), limit));
        return { matches: found.map((all) => all.filter(({ similarity }) => similarity >= threshold)) };
      });
    } catch (error) {
      if (!(error instanceof ModelChanged)) throw error;
      signal.throwIfAborted();
    }
  }
}

function nearest(palace: Palace, vector: Float32Array | undefined, key: Buffer, limit: number) {
  if (vector === undefined) return [];
  // It may have no vector yet.
  const same = palace.vectors.slotOf(key);
  const others = palace.vectors.nearest(vector, limit).filter(({ vectorId }) => vectorId !== same);
  return [...(same === undefined ? [] : [{ vectorId: same, cosine: 1 }]), ...others]
    .flatMap(({ vectorId, cosine }) =>
      palace.reading.drawersByVector(vectorId, limit).map((drawer) => match(drawer, cosine)),
    )
    .slice(0, limit);
}

function match({ drawerId, title, sourceFile, wing, room, text }: DrawerView, cosine: number) {
  // Rounded, as agents see it: 0.9 is at least 0.9.
  const similarity = Math.round(Math.min(1, Math.max(0, cosine)) * 1_000) / 1_000;
  return { ...{ drawerId, title, sourceFile, wing, room, text }, similarity };
}
