/** Finds opencode's sessions, selects those of a run, and stages their transcripts. */
export { requireSessions } from './choose.js';
export { type DatabaseLocation, locateDatabases, realPathOf } from './locate.js';
export {
  CONTAINED,
  type FiledSession,
  FORGOTTEN,
  originOf,
  type SessionOptions,
  sourceKeyOf,
} from './options.js';
export { stageSessions } from './stage.js';
export { type SessionSurvey, surveySessions } from './survey.js';
export { transcriptOf } from './transcript-of.js';
