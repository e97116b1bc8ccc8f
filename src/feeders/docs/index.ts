/** The docs feeder: which files of a project are documents, and staging them. */

export { renderClassTable } from './class-table.js';
export { commitDates } from './commit-dates.js';
export { type ProjectConfig, readProjectConfig } from './config.js';
export { HEAD_BYTES } from './content.js';
export { passOverForgotten } from './forgotten.js';
export { firstCommit } from './git.js';
export { withCleanNames } from './names.js';
export { readDocument, UnreadDocument } from './read.js';
export { findProjectRoot, isProjectRoot, refuseRoot } from './root.js';
export { stagedAs, stageProject } from './stage.js';
export { type FoundDocument, type Survey, surveyProject } from './survey.js';
export { defaultWing } from './wing.js';
