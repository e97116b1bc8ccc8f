/** opencode's sessions as staged transcripts: where they lie, which ones a run takes, and writing them. */
export { requireSessions } from './choose.js';
export { type DatabaseLocation, locateDatabases, realPathOf } from './locate.js';
export {
  CONTAINED,
  type FiledSession,
  FORGOTTEN,
  originOf,
  type SessionOptions,
  type SessionSurvey,
  sourceKeyOf,
} from './options.js';
export { stageSessions } from './stage.js';
export { surveySessions } from './survey.js';
export { transcriptOf } from './transcript-of.js';
