/** Reading on from a hit (neighbours, the day, the whole source), and at the start of a session. */

export { estimateTokens } from '../core/tokens.js';
export { sourcesByFile } from './by-file.js';
export { findDrawer, findTarget } from './find.js';
export { recentWork } from './recent-work.js';
export { speakersIn, spokenIn, UNKNOWN_SPEAKERS } from './speakers.js';
export { placeOf, timelineOf } from './timeline.js';
export { transcriptLines } from './transcript.js';
