import type { DrawerView, Palace, SourceOfDay } from '../store/index.js';
import { findDrawer } from './find.js';

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

/** What stood around a drawer, and what else happened on its day. */
export interface Timeline extends DrawerPlace {
  /** `YYYY-MM-DD`: the day of the drawer's content, else of its source's last change (UTC). */
  day: string;
  /** Other sources with content of that day, conversations first. */
  sameDay: SourceOfDay[];
  /** How many there are, of which `sameDay` may be the first ones. */
  sameDayTotal: number;
}

export interface TimelineOptions {
  /** Drawers before and after, at least 0. */
  radius: number;
  /** Sources of the same day listed at most. */
  sources: number;
}

/** @throws UserError as `findDrawer` does */
export function timelineOf(palace: Palace, id: string, { radius, sources }: TimelineOptions): Timeline {
  return palace.snapshot(() => {
    const drawer = findDrawer(palace, id);
    const { day, sourceId } = drawer;
    const others = palace.reading.sourcesOfDay(day, sourceId, sources);
    return {
      ...placeOf(palace, drawer, radius),
      day,
      sameDay: others.sources,
      sameDayTotal: others.total,
    };
  });
}
