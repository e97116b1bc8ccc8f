import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homeFolder } from '../../platform/folders.js';

/** A program's folder: the value of its variable, else `fallback` below the home folder. */
export function homeOf(env: NodeJS.ProcessEnv, variable: string, fallback: string): string {
  return env[variable] || join(homeFolder(env), fallback);
}

export const KIMI_FILE = 'wire.jsonl';

export function kimiSessions(env: NodeJS.ProcessEnv): string {
  return join(homeOf(env, 'KIMI_SHARE_DIR', '.kimi'), 'sessions');
}

/**
 * Finds the transcript of a Kimi CLI session, whose hooks receive only the session id. It is in the folder of the
 * session's id, below one folder per project. In this file, so that a hook does not load the readers.
 */
export function kimiTranscript(sessionId: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = kimiSessions(env);
  if (basename(sessionId) !== sessionId || !existsSync(home)) return undefined;
  return readdirSync(home)
    .map((folder) => join(home, folder, sessionId, KIMI_FILE))
    .find((file) => existsSync(file));
}
