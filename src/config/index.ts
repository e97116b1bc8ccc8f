import { join, resolve } from 'node:path';
import type { Folders } from '../platform/folders.js';
import { readConfigText } from './read.js';
import { type Config, defaultSettings, type Layer, resolveConfig } from './settings.js';
import { environmentTexts, expandHome, flagOf, layerOfTexts, type Texts, variableOf } from './texts.js';

export type { Config } from './settings.js';
export type { PrivacyRule } from './table.js';

/** Whether the palace is behind a broker that the user named. The address may be wrong. */
export const namesBroker = ({ broker: { use } }: Config): boolean => use !== 'auto' && use !== 'off';

/** Makes the user's zone that of this process: also of SQLite, of worker threads, and of programs that it starts. */
export function useZone({ timezone }: Config): void {
  if (timezone !== '') process.env.TZ = timezone;
}

export interface LoadOptions {
  env: NodeJS.ProcessEnv;
  folders: Pick<Folders, 'home' | 'config'>;
  /** Values given on the command line, by key: `{ palace: flags.palace, 'search.limit': flags.limit }`. */
  flags?: Texts;
}

/** The path of the configuration file: `$MEMPALACE_CONFIG`, or `mempalace/config.yaml` in the configuration folder. */
export function configPath(env: NodeJS.ProcessEnv, folders: Pick<Folders, 'home' | 'config'>): string {
  const named = env.MEMPALACE_CONFIG;
  if (named !== undefined && named !== '') return resolve(expandHome(named, folders.home));
  return join(folders.config, 'mempalace', 'config.yaml');
}

/**
 * The current settings: defaults, the configuration file, environment, flags, in rising precedence. The YAML and schema
 * libraries are loaded only for values that need them.
 *
 * @throws UserError `config` with file, line and column, or the variable's name, and the reason
 * @throws UserError `usage` for a flag
 */
export async function loadConfig({ env, folders, flags = {} }: LoadOptions): Promise<Config> {
  const path = configPath(env, folders);
  const text = readConfigText(path);
  const layers: Layer[] = [];
  if (text !== undefined) layers.push((await import('./file.js')).parseConfigFile(text, path, folders.home));
  layers.push(await layerOfTexts(environmentTexts(env), variableOf, 'config', folders.home));
  layers.push(await layerOfTexts(flags, flagOf, 'usage', folders.home));
  return resolveConfig(defaultSettings(folders), ...layers);
}
