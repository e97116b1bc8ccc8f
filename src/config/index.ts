import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Document } from 'yaml';
import { UserError } from '../core/errors.js';
import { replaceFile } from '../platform/atomic-write.js';
import type { Folders } from '../platform/folders.js';
import { readConfigText } from './read.js';
import {
  type Config,
  defaultSettings,
  type Layer,
  resolveConfig,
  type ScalarKey,
  type SettingKey,
} from './settings.js';
import { environmentTexts, expandHome, flagOf, layerOfTexts, type Texts, variableOf } from './texts.js';

export type { Config, PrivacyRule } from './settings.js';

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

/**
 * Sets one value in the configuration file; comments, order and all other values are unchanged. See `replaceFile`.
 *
 * @throws UserError `config` when the file is malformed, or would be with this value: then it is not changed
 */
export async function writeSetting(source: FileOf, key: ScalarKey, value: string | number): Promise<void> {
  await changeFile(source, key, (document, names) => document.setIn(names, value));
}

/** Adds a value to a list of the configuration file, as `writeSetting` does. @returns the file's path */
export async function addSetting(source: FileOf, key: 'search.cold', value: string): Promise<string> {
  return changeFile(source, key, (document, names) => {
    if (document.getIn(names) == null) document.setIn(names, document.createNode([value]));
    else document.addIn(names, value);
  });
}

type FileOf = Pick<LoadOptions, 'env' | 'folders'>;

async function changeFile(
  { env, folders }: FileOf,
  key: SettingKey,
  change: (document: Document, names: string[]) => void,
): Promise<string> {
  const [{ parseDocument }, { parseConfigFile }] = await Promise.all([import('yaml'), import('./file.js')]);
  const path = configPath(env, folders);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UserError('config', `${path} is not a file that can be changed`, {
      hint: 'MEMPALACE_CONFIG names the configuration file',
    });
  const text = readConfigText(path) ?? '';
  parseConfigFile(text, path, folders.home);
  const document = parseDocument(text);
  // A section without a value (`search:`) cannot contain one.
  const names = key.split('.');
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = names.slice(0, depth);
    if (document.hasIn(above) && document.getIn(above) === null) document.deleteIn(above);
  }
  change(document, names);
  const changed = document.toString({ lineWidth: 0 });
  parseConfigFile(changed, path, folders.home);
  replaceFile(path, changed);
  return path;
}
