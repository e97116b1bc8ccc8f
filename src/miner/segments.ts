/** The text of a source in segments, by the kind of source. */

export { conversationSegments } from './read/conversation.js';
export { documentSegments, textSegments } from './read/document.js';
export type { Chunk, Segment } from './segment.js';
