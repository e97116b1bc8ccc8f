/** Reading on from a hit (neighbours, the day, the whole source), and at the start of a session. */
export { findDrawer, findTarget, type Target } from './find.js';
export { type Spoken, speakersIn, spokenIn, UNKNOWN_SPEAKERS } from './speakers.js';
export { type DrawerPlace, placeOf, type Timeline, timelineOf } from './timeline.js';
export { estimateTokens } from './tokens.js';
export { type TextLine, transcriptLines } from './transcript.js';
export type { WakeUp } from './wake-up.js';
export type { ShownMemory } from './wake-up-text.js';
