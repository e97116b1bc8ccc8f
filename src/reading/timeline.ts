import type { DrawerView, Palace } from '../store/index.js';
import { findDrawer } from './find.js';

/** A drawer and its neighbours. */
export interface DrawerPlace {
  drawer: DrawerView;
  /** Number of drawers in its source. */
  count: number;
  /** The drawer and its neighbours, in the order of the source. */
  passage: DrawerView[];
  /** Ids of the drawers before and after the passage; null at the source's ends. */
  previous: string | null;
  next: string | null;
}

/**
 * @param radius neighbours on each side; 0 for the drawer alone
 * @param end `chunkIndex` of the last drawer that is wanted anyway
 */
export function placeOf(
  palace: Palace,
  drawer: DrawerView,
  radius: number,
  end = drawer.chunkIndex,
): DrawerPlace {
  return palace.snapshot(() => {
    const { sourceId, chunkIndex } = drawer;
    const first = chunkIndex - radius;
    const last = end + radius;
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

/**
 * A drawer with its neighbours and other sources with content of its day, conversations first. `sameDayTotal` counts all.
 *
 * @param options.sources sources of the same day, at most
 * @param options.wing the only one; default: all
 * @throws UserError as `findDrawer` does
 */
export function timelineOf(
  palace: Palace,
  id: string,
  { radius, sources, wing }: { radius: number; sources: number; wing?: string | undefined },
) {
  return palace.snapshot(() => {
    const drawer = findDrawer(palace, id, wing);
    const { day, sourceId } = drawer;
    const others = palace.reading.sourcesOfDay({ day, wing }, sourceId, sources);
    const place = placeOf(palace, drawer, radius);
    return { ...place, day, sameDay: others.sources, sameDayTotal: others.total };
  });
}
