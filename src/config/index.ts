import { join, resolve } from 'node:path';
import { replaceFile } from '../platform/atomic-write.js';
import type { Folders } from '../platform/folders.js';
import { readConfigText } from './read.js';
import { type Config, defaultSettings, type Layer, resolveConfig, type ScalarKey } from './settings.js';
import { environmentTexts, expandHome, flagOf, layerOfTexts, type Texts, variableOf } from './texts.js';

export type { Config, PrivacyRule } from './settings.js';

export interface LoadOptions {
  env: NodeJS.ProcessEnv;
  folders: Pick<Folders, 'home' | 'config'>;
  /** Values given on the command line, by key: `{ palace: flags.palace, 'search.limit': flags.limit }`. */
  flags?: Texts;
}

/** The configuration file: `$MEMPALACE_CONFIG`, or `mempalace/config.yaml` in the folder of configurations. */
export function configPath(env: NodeJS.ProcessEnv, folders: Pick<Folders, 'home' | 'config'>): string {
  const named = env.MEMPALACE_CONFIG;
  if (named !== undefined && named !== '') return resolve(expandHome(named, folders.home));
  return join(folders.config, 'mempalace', 'config.yaml');
}

/**
 * The settings in force: defaults, the configuration file, environment, flags, in rising precedence. Without
 * a file and variables nothing is loaded that the command would not load anyway.
 *
 * @throws UserError `config` with file, line and column, or the variable's name, and the reason
 * @throws UserError `usage` for a flag
 */
export async function loadConfig({ env, folders, flags = {} }: LoadOptions): Promise<Config> {
  const path = configPath(env, folders);
  const text = readConfigText(path);
  const file: Layer =
    text === undefined
      ? { values: {}, origins: {} }
      : (await import('./file.js')).parseConfigFile(text, path, folders.home);
  const environment = await layerOfTexts(environmentTexts(env), variableOf, 'config', folders.home);
  const given = await layerOfTexts(flags, flagOf, 'usage', folders.home);
  return resolveConfig(defaultSettings(folders), file, environment, given);
}

/**
 * Sets one value in the configuration file; comments, order and all other values stay. The file is replaced
 * as a whole (0600, in a folder made 0700 where there was none), and where it is a link, what the link names.
 *
 * @throws UserError `config` when the file is malformed, or would be with this value: then it stays as it is
 */
export async function writeSetting(
  { env, folders }: Pick<LoadOptions, 'env' | 'folders'>,
  key: ScalarKey,
  value: string | number,
): Promise<void> {
  const [{ parseDocument }, { parseConfigFile }] = await Promise.all([import('yaml'), import('./file.js')]);
  const path = configPath(env, folders);
  const text = readConfigText(path) ?? '';
  parseConfigFile(text, path, folders.home);
  const document = parseDocument(text);
  // A section without a value (`search:`) cannot contain one.
  const names = key.split('.');
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = names.slice(0, depth);
    if (document.hasIn(above) && document.getIn(above) === null) document.deleteIn(above);
  }
  document.setIn(names, value);
  const changed = document.toString({ lineWidth: 0 });
  parseConfigFile(changed, path, folders.home);
  replaceFile(path, changed);
}
