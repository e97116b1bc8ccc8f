/** The values of `--from`. In this file, so that help texts do not load the readers. */
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
/** Formats that a user exports to any folder. */
type ExportName = 'chatgpt' | 'claude-ai' | 'opencode-export' | 'slack' | 'text' | 'zip';
export type HarnessName = (typeof HARNESS_NAMES)[number] | ExportName;
