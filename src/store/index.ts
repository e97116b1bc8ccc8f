export type { QueryTerm } from './lexical.js';
export { palaceExists, palaceFile } from './open.js';
export { type Filing, Palace, type RunStamp } from './palace.js';
export { type FiledProject, identifyProject, stagingFolder } from './projects.js';
export type { DrawerDraft, FiledSource, SourceRecord, TextPiece } from './records.js';
export type { RunRow } from './runs.js';
export { SCHEMA_VERSION } from './schema.js';
export type { DrawerView } from './status.js';
