/** The docs feeder: which files of a project are documents, and staging them. */

export {
  DOCUMENT_CLASSES,
  type DocumentClass,
  DROPPED_CLASSES,
  type DroppedClass,
  renderClassTable,
} from './classes.js';
export { type ProjectConfig, readProjectConfig } from './config.js';
export { type ReadDocument, readDocument, UnreadDocument } from './read.js';
export { findProjectRoot, isProjectRoot, refuseRoot } from './root.js';
export { STAGING_ROOT, type StageOptions, stagedAs, stageProject } from './stage.js';
export { type FoundDocument, type Survey, type SurveyOptions, surveyProject } from './survey.js';
export { defaultWing, validateWing } from './wing.js';
