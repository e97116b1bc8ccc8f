/** The programs whose transcripts are read, as `--from` names them; without what reads them, for help texts. */
export const HARNESS_NAMES = [
  'claude-code',
  'codex',
  'copilot',
  'gemini',
  'kimi',
  'kimi-code',
  'pi',
  'qwen',
] as const;
export type HarnessName = (typeof HARNESS_NAMES)[number];
