/** Reading on from a hit (neighbours, the day, the whole source), and at the start of a session. */
export { findDrawer, findTarget, type Target } from './find.js';
export { speakersIn, spokenIn, UNKNOWN_SPEAKERS } from './speakers.js';
export { placeOf, timelineOf } from './timeline.js';
export { estimateTokens } from './tokens.js';
export { transcriptLines } from './transcript.js';
