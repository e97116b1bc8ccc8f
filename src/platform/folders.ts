import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** Where things lie on this machine; every path is absolute. */
export interface Folders {
  home: string;
  /** `$XDG_CACHE_HOME`, default `~/.cache`: staging roots are folders in it. */
  cache: string;
  /** `$XDG_DATA_HOME`, default `~/.local/share`. */
  data: string;
  /** `$XDG_CONFIG_HOME`, default `~/.config`. */
  config: string;
  /** Folder of the palace: `--palace`, `$MEMPALACE_PALACE_PATH`, `~/.mempalace/palace`. */
  palace: string;
}

/** The user's home folder: `$HOME` when it is absolute, else that of the user database. An empty HOME is not the working folder. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  return env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : userInfo().homedir;
}

/**
 * Resolves all folders from an environment. XDG variables count on macOS too (as opencode does), and, as
 * the XDG specification demands, only when they are absolute.
 */
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
    palace: palace !== undefined && palace !== '' ? resolve(palace) : join(home, '.mempalace', 'palace'),
  };
}
