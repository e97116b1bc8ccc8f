/** The docs feeder: which files of a project are documents, and staging them. */

export { renderClassTable } from './class-table.js';
export { judgeName } from './classify.js';
export { type ProjectConfig, readProjectConfig } from './config.js';
export { previewBatch } from './preview.js';
export { findProject, type IdentifiedProject } from './project.js';
export { readDocument, UnreadDocument } from './read.js';
export { findProjectRoot, isProjectRoot, refuseRoot } from './root.js';
export { stageProject } from './stage.js';
export { type FoundDocument, type Survey, surveyProject } from './survey.js';
export { defaultWing } from './wing-and-room.js';
