import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homeFolder } from '../../platform/folders.js';

/** The folder of a program: what its variable says, else `fallback` below the user's own. */
export function homeOf(env: NodeJS.ProcessEnv, variable: string, fallback: string): string {
  return env[variable] || join(homeFolder(env), fallback);
}

export const KIMI_FILE = 'wire.jsonl';

export function kimiSessions(env: NodeJS.ProcessEnv): string {
  return join(homeOf(env, 'KIMI_SHARE_DIR', '.kimi'), 'sessions');
}

/**
 * The transcript of a session of Kimi CLI, which does not name it to its hooks; undefined where there is none. It is
 * in the folder of the session's id, below one folder per project. A hook loads this and not the readers.
 */
export function kimiTranscript(sessionId: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = kimiSessions(env);
  if (basename(sessionId) !== sessionId || !existsSync(home)) return undefined;
  return readdirSync(home)
    .map((folder) => join(home, folder, sessionId, KIMI_FILE))
    .find((file) => existsSync(file));
}
