import type { Harness } from '../harness.js';
import { chatGpt } from './chatgpt.js';
import { claudeAi } from './claude-ai.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex/index.js';
import { copilot } from './copilot.js';
import { gemini } from './gemini/index.js';
import { kimi } from './kimi.js';
import { kimiCode } from './kimi-code.js';
import { opencodeExport } from './opencode-export.js';
import { pi } from './pi.js';
import { quotedText } from './quoted-text.js';
import { qwen } from './qwen.js';
import { slack } from './slack.js';
import { zipped } from './zipped.js';

/**
 * Every program whose transcripts are read. The order is that in which they are asked whose a file is: Claude Code's
 * format, which others write as well, is the last.
 */
export const HARNESSES: readonly Harness[] = [
  codex,
  copilot,
  gemini,
  kimiCode,
  kimi,
  pi,
  qwen,
  chatGpt,
  claudeAi,
  opencodeExport,
  slack,
  claudeCode,
  quotedText,
  zipped,
];
