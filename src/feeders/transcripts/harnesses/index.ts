import type { Harness } from '../harness.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex.js';
import { kimi } from './kimi.js';
import { pi } from './pi.js';

/**
 * Every program whose transcripts are read. The order is that in which they are asked whose a file is: Claude Code's
 * format, which others write as well, is the last.
 */
export const HARNESSES: readonly Harness[] = [codex, kimi, pi, claudeCode];
