/** Stages a palace of MemPalace (Python, Chroma). It is read by SQL and never changed. */
export { theirFacts } from './open.js';
export { stageChroma, wouldBeBatch } from './stage.js';
export { surveyChroma } from './survey.js';
