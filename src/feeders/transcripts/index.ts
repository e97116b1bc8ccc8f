/** Transcripts that programs keep as files: where they lie, which ones a run takes, and staging them. */
export { filesOfStaged } from './fingerprint.js';
export type { Harness } from './harness.js';
export { HARNESSES } from './harnesses/index.js';
export { holdsTranscripts } from './look.js';
export type {
  FiledConversations,
  Place,
  TranscriptOptions,
  TranscriptSurvey,
  WorkItem,
} from './options.js';
export { cleanedSkips, describeTranscript, sessionsOf, stageTranscripts, transcriptOf } from './stage.js';
export { surveyTranscripts } from './survey.js';
