/** Where a session stood: derived from its transcript by rules, filed and told. */
export { type Checkpoint, type Compaction, saysNothing } from './record.js';
export { type CheckpointEvent, CheckpointRecorder } from './recorder.js';
export { checkpointText, checkpointTitle, noteIn } from './text.js';
export { brokeOffText, MOST_TOLD, resumeText } from './told.js';
