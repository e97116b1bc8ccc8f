/** Finds transcripts that programs store as files, selects those of a run, and stages them. */

export { containsTranscripts } from './contains.js';
export { filesOfStaged } from './fingerprint.js';
export type { Harness } from './harness.js';
export { HARNESSES } from './harnesses/index.js';
export type {
  FiledConversations,
  Place,
  TranscriptOptions,
  TranscriptSurvey,
  WorkItem,
} from './options.js';
export { cleanedSkips, describeTranscript, sessionsOf, stageTranscripts, transcriptOf } from './stage.js';
export { surveyTranscripts } from './survey.js';
