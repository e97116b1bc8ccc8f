/** Stages a palace of MemPalace (Python, Chroma). It is read by SQL and never changed. */
export { theirFacts } from './facts.js';
export { stageChroma, wouldBeBatches } from './stage.js';
export { surveyChroma } from './survey.js';
