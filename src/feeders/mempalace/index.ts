/** A palace of MemPalace (Python, Chroma) as staged texts: read by SQL, never changed. */
export { theirFacts } from './facts.js';
export { stageChroma, wouldBeBatches } from './stage.js';
export { surveyChroma } from './survey.js';
