import type { DrawerView, Palace } from '../store/index.js';

/** A drawer, and the drawers beside it. */
export interface DrawerPlace {
  drawer: DrawerView;
  /** Drawers in its source. */
  count: number;
  /** The drawers asked for, its own among them, in the order of the source. */
  passage: DrawerView[];
  /** Ids of what stands before and behind the passage; null at the source's ends. */
  previous: string | null;
  next: string | null;
}

/**
 * A drawer with so many of its neighbours on both sides.
 *
 * @param radius 0 for the drawer alone
 */
export function placeOf(palace: Palace, drawer: DrawerView, radius: number): DrawerPlace {
  return palace.snapshot(() => {
    const { sourceId, chunkIndex } = drawer;
    const first = chunkIndex - radius;
    const last = chunkIndex + radius;
    const around = palace.reading.drawersBetween(sourceId, first - 1, last + 1);
    return {
      drawer,
      count: palace.reading.source(sourceId)?.drawers ?? 0,
      passage: around.filter((other) => other.chunkIndex >= first && other.chunkIndex <= last),
      previous: around.find((other) => other.chunkIndex < first)?.drawerId ?? null,
      next: around.find((other) => other.chunkIndex > last)?.drawerId ?? null,
    };
  });
}
