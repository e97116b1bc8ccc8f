export type { ArchivedDrawer, ArchivedSource, DrawerMarks } from './db/archive.js';
export {
  awaitWriters,
  bytesOf,
  COMPANIONS,
  containsSome,
  copyPalace,
  countMatches,
  inspectPalace,
  overwritePalace,
  type PalaceFacts,
  recordRun,
  removePalaceFile,
  type SourceWords,
  samePageSize,
  settleCopy,
  tombstonesIn,
} from './db/copies.js';
export { networkFileSystem } from './db/file-system.js';
export type { Problem } from './db/integrity.js';
export { isStrings, parseStored } from './db/json.js';
export {
  clearHalfMade,
  type KeptBackup,
  keepBackup,
  keptBackups,
} from './db/kept-backups.js';
export { formatModel, ModelChanged, type ModelIdentity, parseModel, sameModel } from './db/model.js';
export { bringUpToDate, noPalace, requirePalace, storedSchema } from './db/open.js';
export { palaceExists, palaceFile } from './db/palace-file.js';
export type {
  DrawerDraft,
  FiledConversation,
  FiledSource,
  Filing,
  RunStamp,
  SourceRecord,
  TextPiece,
} from './db/records.js';
export { SCHEMA_VERSION } from './db/schema.js';
export { readingState } from './db/shared-reading.js';
export { splitByScript } from './index/bigrams.js';
export { floatsOf } from './index/codes.js';
export type { LostDrawer, VectoredDrawer } from './index/drawer-vectors.js';
export {
  type Condition,
  conditionOf,
  type DrawerFilter,
  EVERYTHING,
  type ProjectPlace,
} from './index/filter.js';
export type { LexicalScore, QueryTerm } from './index/lexical-scores.js';
export { hasToken, type LexicalQuery } from './index/match.js';
export type { PendingText } from './index/pending.js';
export type { Neighbour } from './index/vectors.js';
export { Palace, STATISTICS_FROM } from './palace.js';
export type { FailureRow } from './tables/activity.js';
export type { CollectionRow } from './tables/collections.js';
export type { DiaryRow } from './tables/diary.js';
export { drawerIds } from './tables/drawers.js';
export type { Direction, Entity, Fact } from './tables/facts.js';
export type { FileTouchRow, FileUse } from './tables/file-uses.js';
export type { Tombstone } from './tables/forgetting.js';
export type { DatedStretch, DrawerView, Selection } from './tables/reading.js';
export type { RecentSession } from './tables/recent-work.js';
export type { RelatedSession } from './tables/relations.js';
export { type CommandRuns, type RunEnd, type RunStart, SHORT_WRITE } from './tables/runs.js';
export type { UsedSource } from './tables/suggestions.js';
export { SUMMARISING, summaryKey } from './tables/summaries.js';
export type { TaskRow } from './tables/tasks.js';
export type { OwnFolders, Remembered, WakeUpPlace } from './tables/wake-up.js';
