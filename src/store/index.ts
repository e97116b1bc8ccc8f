export type { ArchivedDrawer, ArchivedSource, DrawerMarks } from './archive.js';
export { bigramTerms, splitByScript } from './bigrams.js';
export { floatsOf } from './codes.js';
export {
  bytesOf,
  COMPANIONS,
  copyPalace,
  countHeld,
  inspectPalace,
  overwritePalace,
  type PalaceFacts,
  recordRun,
  removePalaceFile,
  type SourceWords,
  samePageSize,
  settleCopy,
  someFact,
  someSource,
  tombstonesIn,
} from './copies.js';
export type { DiaryRow } from './diary.js';
export type { Crowd, Direction, Entity, Fact } from './facts.js';
export { type Condition, conditionOf, type DrawerFilter } from './filter.js';
export type { Tombstone } from './forgetting.js';
export type { Problem } from './integrity.js';
export {
  clearHalfMade,
  type KeptBackup,
  keepBackup,
  keptBackups,
} from './kept-backups.js';
export { hasToken, type QueryTerm, type WordGate } from './lexical.js';
export type { ListedSource } from './listing.js';
export { formatModel, type ModelIdentity, parseModel, sameModel } from './model-identity.js';
export { bringUpToDate, storedSchema } from './open.js';
export { type Filing, Palace, type RunStamp } from './palace.js';
export { palaceExists, palaceFile } from './palace-file.js';
export type { MarkChange } from './priorities.js';
export { type FiledProject, identifyProject, stagingFolder } from './projects.js';
export type { DatedStretch, SourceOfDay, SourceView } from './reading.js';
export type { DrawerDraft, FiledSource, SourceRecord, TextPiece } from './records.js';
export { BESIDE, type CommandRuns, type RunEnd, type RunRow, type RunStart } from './runs.js';
export { SCHEMA_VERSION } from './schema-version.js';
export type { DrawerView, Selection } from './status.js';
export { ModelChanged } from './stored-model.js';
export type { VectoredDrawer } from './vector-samples.js';
export type { Neighbour } from './vectors.js';
export type { RememberedDrawer, RememberedSource, WakeUpPlace } from './wake-up.js';
export type { Waking } from './waking.js';
