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
/** Those whose transcripts a person exports, to wherever it may be. */
type ExportName = 'chatgpt' | 'claude-ai' | 'opencode-export' | 'slack' | 'text' | 'zip';
export type HarnessName = (typeof HARNESS_NAMES)[number] | ExportName;
