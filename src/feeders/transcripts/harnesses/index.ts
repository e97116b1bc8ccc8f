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

/** The name of a zip member of an export; names are not compressed. */
const MEMBER = /(?:^|[^\w-])(?:conversations\.json|\d{4}-\d{2}-\d{2}\.json)/;

/** Zip archives of exports. They are not unpacked: that would write outside the cache, and one may be a zip bomb. */
const zipped: Harness = {
  name: 'zip',
  label: 'archives',
  patterns: ['**/*.zip'],
  recognises: ({ path, beginning }) =>
    path.endsWith('.zip') && beginning.startsWith('PK\u0003\u0004') && MEMBER.test(beginning),
  identify() {
    throw new Error('it is a zip archive: unpack it, and mine the folder with --mode convos');
  },
  async *read() {},
};

/** In the order in which they are asked to recognise a file. Other programs also write Claude Code's format, so it is late. */
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
