import type { DrawerView, Palace, SourceOfDay } from '../store/index.js';
import { findDrawer } from './find.js';
import { type DrawerPlace, placeOf } from './place.js';

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
    const drawer: DrawerView = findDrawer(palace, id);
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
