/** What the palace says of a file, of what recurs, and around a passage. */
import { checkpoints } from './checkpoints.js';
import { file } from './file.js';
import { patterns } from './patterns.js';
import { related } from './related.js';
import { timeline } from './timeline.js';

export const reading = { ...file, ...patterns, ...related, ...checkpoints, ...timeline };
