/** Where a session stood: derived from its transcript by rules, filed and told. */
export { type Checkpoint, type Compaction, saysNothing } from './record.js';
export { type CheckpointEvent, CheckpointRecorder } from './recorder.js';
export {
  brokeOffText,
  MOST_RESUME_TOKENS,
  type ResumeDraft,
  resumeDraft,
  resumeText,
  tellable,
} from './resume-text.js';
export { checkpointText, checkpointTitle, lineIn, noteIn } from './text.js';
