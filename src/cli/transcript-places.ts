import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** Harnesses that keep a session as a file of lines. */
export const TRANSCRIPT_HARNESSES = ['claude-code', 'codex', 'kimi', 'pi'] as const;
export type TranscriptHarness = (typeof TRANSCRIPT_HARNESSES)[number];

/** Where a harness keeps its transcripts, with the variable by which it lets them lie elsewhere. */
export function transcriptsFolder(harness: TranscriptHarness, env: NodeJS.ProcessEnv): string {
  const home = env.HOME !== undefined && env.HOME !== '' ? env.HOME : homedir();
  const [variable, fallback, folder] = PLACES[harness];
  const given = env[variable];
  return join(given === undefined || given === '' ? join(home, fallback) : given, folder);
}

const PLACES: Record<TranscriptHarness, [variable: string, fallback: string, folder: string]> = {
  'claude-code': ['CLAUDE_CONFIG_DIR', '.claude', 'projects'],
  codex: ['CODEX_HOME', '.codex', 'sessions'],
  kimi: ['KIMI_SHARE_DIR', '.kimi', 'sessions'],
  pi: ['PI_CODING_AGENT_DIR', join('.pi', 'agent'), 'sessions'],
};

/**
 * The transcript of a session of Kimi CLI, which does not name it to its hooks; undefined where there is none. It lies
 * in the folder of the session's id, below one for each folder that was worked in.
 */
export function kimiTranscript(sessionId: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = transcriptsFolder('kimi', env);
  if (basename(sessionId) !== sessionId || !existsSync(home)) return undefined;
  return readdirSync(home)
    .map((folder) => join(home, folder, sessionId, 'wire.jsonl'))
    .find((file) => existsSync(file));
}
