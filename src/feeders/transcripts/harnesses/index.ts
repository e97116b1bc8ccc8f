import { defineHarness, type Harness } from '../harness.js';
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

/** A member that is an export's: its name is in clear, before what is compressed. */
const MEMBER = /(?:^|[^\w-])(?:conversations\.json|\d{4}-\d{2}-\d{2}\.json)/;

/** Archives of exports, which are not unpacked: nothing is to be written outside the cache, and no bomb set off. */
const zipped = defineHarness({
  name: 'zip',
  label: 'archives',
  patterns: ['**/*.zip'],
  recognises: ({ path, beginning }) =>
    path.endsWith('.zip') && beginning.startsWith('PK\u0003\u0004') && MEMBER.test(beginning),
  identify() {
    throw new Error('it is a zip archive: unpack it, and mine the folder with --mode convos');
  },
  async *read() {},
});

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
