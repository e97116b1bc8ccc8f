import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homeOf } from './homes.js';

/** Apart from the reader of Kimi's transcripts: a hook asks for them, and is to load no more than this. */

export const KIMI_FILE = 'wire.jsonl';

export function kimiSessions(env: NodeJS.ProcessEnv): string {
  return join(homeOf(env, 'KIMI_SHARE_DIR', '.kimi'), 'sessions');
}

/**
 * The transcript of a session of Kimi CLI, which does not name it to its hooks; undefined where there is none. It lies
 * in the folder of the session's id, below one for each folder that was worked in.
 */
export function kimiTranscript(sessionId: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = kimiSessions(env);
  if (basename(sessionId) !== sessionId || !existsSync(home)) return undefined;
  return readdirSync(home)
    .map((folder) => join(home, folder, sessionId, KIMI_FILE))
    .find((file) => existsSync(file));
}
