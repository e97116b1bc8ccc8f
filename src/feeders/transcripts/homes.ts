import { join } from 'node:path';
import { homeFolder } from '../../platform/folders.js';

/** The folder of a program: what its variable says, else `fallback` below the user's own. */
export function homeOf(env: NodeJS.ProcessEnv, variable: string, fallback: string): string {
  const given = env[variable];
  return given === undefined || given === '' ? join(homeFolder(env), fallback) : given;
}
