/** A palace of MemPalace (Python, Chroma) as staged texts: read by SQL, never changed. */
export { stageChroma, wouldBeBatches } from './stage.js';
export { surveyChroma } from './survey.js';
