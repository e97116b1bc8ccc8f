/** Summaries of sessions, made by a model that the caller asks: what it is given, and how its answer is filed. */
export { digestOf } from './digest.js';
export { instructionsFor, SUMMARY_TOKENS } from './instructions.js';
export { digestOfSession, spentTokens, unsummarised } from './read.js';
export { writeSummary } from './write.js';
