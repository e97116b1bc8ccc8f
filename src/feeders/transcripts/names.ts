/** The programs whose transcripts are read, as `--from` names them; without what reads them, for help texts. */
export const HARNESS_NAMES = ['claude-code', 'codex', 'kimi', 'pi'] as const;
export type HarnessName = (typeof HARNESS_NAMES)[number];
