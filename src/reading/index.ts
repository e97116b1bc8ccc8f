/** Reading on from a hit: what stands around it, what else happened that day, and the whole of it. */
export { findDrawer, findTarget, type Target } from './find.js';
export { type DrawerPlace, placeOf } from './place.js';
export { type Timeline, timelineOf } from './timeline.js';
export { type TextLine, transcriptLines, wholeLines } from './transcript.js';
