/** The knowledge graph: short facts, each with the time in which it is true. */
export { addFact, type FactInput } from './add.js';
export { endFacts, invalidateFact, supersedeFact } from './change.js';
export { findUncleanFacts, isUncleanFact, rewordFacts, type UncleanFacts } from './clean.js';
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
export { holdsAt, secondText } from './instant.js';
export { contradict, factTimeline, findFacts, graphStats, queryFacts } from './look.js';
export type { FactWords } from './names.js';
export { rowsOfOriginal } from './original.js';
