import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's own folder. */
export function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && env.HOME !== '' ? env.HOME : homedir();
}

/** The folder of a program: what its variable says, else `fallback` below the user's own. */
export function homeOf(env: NodeJS.ProcessEnv, variable: string, fallback: string): string {
  const given = env[variable];
  return given === undefined || given === '' ? join(userHome(env), fallback) : given;
}
