import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** All paths are absolute. */
export interface Folders {
  home: string;
  /** `$XDG_CACHE_HOME`, default `~/.cache`; contains the staging roots. */
  cache: string;
  /** `$XDG_DATA_HOME`, default `~/.local/share`. */
  data: string;
  /** `$XDG_CONFIG_HOME`, default `~/.config`. */
  config: string;
  /** `$XDG_STATE_HOME`, default `~/.local/state`. */
  state: string;
  /** `--palace`, `$MEMPALACE_PALACE_PATH` or `~/.mempalace/palace`. */
  palace: string;
}

export const PALACE_FILE = 'palace.sqlite3';

/** `$HOME` when it is absolute, else the home folder from the user database. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : userInfo().homedir;
}

/** XDG variables count on macOS too, as in opencode. Relative ones are ignored, as the XDG specification demands. */
export function resolveFolders(env: NodeJS.ProcessEnv, palaceFlag?: string): Folders {
  const home = homeFolder(env);
  const xdg = (name: string, fallback: string): string => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : join(home, fallback);
  };
  const palace = palaceFlag ?? env.MEMPALACE_PALACE_PATH;
  return {
    home,
    cache: xdg('XDG_CACHE_HOME', '.cache'),
    data: xdg('XDG_DATA_HOME', join('.local', 'share')),
    config: xdg('XDG_CONFIG_HOME', '.config'),
    state: xdg('XDG_STATE_HOME', join('.local', 'state')),
    palace: palace !== undefined && palace !== '' ? resolve(palace) : join(home, '.mempalace', 'palace'),
  };
}
