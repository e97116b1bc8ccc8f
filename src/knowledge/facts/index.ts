/** The knowledge graph: short facts with the time in which they hold. Times and intervals: instant.ts. */
export { addFact, checkFact, type FactInput } from './add.js';
export { type FactWords, invalidateFact, supersedeFact } from './change.js';
export {
  exportFacts,
  type FactRow,
  type FactsImport,
  factRow,
  factRowOf,
  importFacts,
  parseFactsFile,
  takeFact,
} from './exchange.js';
export { findFacts } from './find.js';
export { holdsAt, secondText } from './instant.js';
export { type DirectedFact, factTimeline, graphStats, queryFacts } from './look.js';
export { rowsOfOriginal } from './original.js';
export { findUncleanFacts, isUncleanFact, rewordFacts, type UncleanFacts } from './scrub.js';
