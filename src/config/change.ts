import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isNode, parseDocument } from 'yaml';
import { UserError } from '../core/errors.js';
import { suggest } from '../core/suggest.js';
import { replaceFile } from '../platform/atomic-write.js';
import { parseConfigFile } from './file.js';
import { configPath, type LoadOptions } from './index.js';
import { readConfigText } from './read.js';
import { parseSettings } from './schema.js';
import { defaultSettings, nest, resolveConfig } from './settings.js';
import { SETTING_KEYS, type SettingKey } from './table.js';
import { isScalar, readText } from './texts.js';

type FileOf = Pick<LoadOptions, 'env' | 'folders'>;
type Value = string | number | readonly string[];

/** What the configuration file says about a setting. */
interface Changed {
  file: string;
  changed: boolean;
  /** As parsed YAML; null: nothing. */
  former: unknown;
  value: unknown;
}

/**
 * Sets one value in the configuration file; comments, order and all other values are unchanged. See `replaceFile`.
 *
 * @throws UserError `config` when the file is malformed, or would be with this value: then it is not changed
 */
export async function writeSetting(source: FileOf, key: SettingKey, value: Value): Promise<Changed> {
  return changeFile(source, key, (document, names) => {
    // A scalar that is there keeps its comment and its quotes.
    document.setIn(names, typeof value === 'object' ? document.createNode(value) : value);
  });
}

/** Adds a value to a list of the configuration file, as `writeSetting` does. @returns the file's path */
export async function addSetting(source: FileOf, key: 'search.cold', value: string): Promise<string> {
  const { file } = await changeFile(source, key, (document, names) => {
    if (document.getIn(names) == null) document.setIn(names, document.createNode([value]));
    else document.addIn(names, value);
  });
  return file;
}

/** Removes a value from the configuration file, and a section that then is empty, as `writeSetting` changes it. */
export async function removeSetting(source: FileOf, key: SettingKey): Promise<Changed> {
  return changeFile(source, key, (document, names) => {
    if (document.hasIn(names)) document.deleteIn(names);
    for (let depth = names.length - 1; depth > 0; depth -= 1) {
      const section = document.getIn(names.slice(0, depth));
      if (isMap(section) && section.items.length === 0 && !section.comment)
        document.deleteIn(names.slice(0, depth));
    }
  });
}

/** @throws UserError `usage` that names a similar setting */
export function settingNamed(name: string): SettingKey {
  const known = SETTING_KEYS.find((key) => key === name);
  if (known !== undefined) return known;
  const similar = suggest(name, SETTING_KEYS);
  throw new UserError('usage', `there is no setting ${JSON.stringify(name)}`, {
    hint: similar === undefined ? 'mempalace config prints all of them' : `did you mean ${similar}?`,
  });
}

/**
 * The value of a setting from a command line: one text, or those of a list. Relative paths are relative to the working folder.
 *
 * @throws UserError `usage`
 */
export function settingOf(key: SettingKey, texts: readonly string[], home: string): Value {
  const [text = '', ...more] = texts;
  if (key === 'privacy.rules')
    throw new UserError('usage', 'privacy.rules is changed in the file: a rule has two parts', {
      hint: 'docs/configuration.md shows one; mempalace config path prints the path of the file',
    });
  if (isScalar(key) && more.length > 0) throw new UserError('usage', `${key} takes one value`);
  const value = isScalar(key) ? readText(key, text, home) : texts;
  const parsed = parseSettings(nest([[key, value]]), home);
  if ('values' in parsed) return value;
  throw new UserError('usage', `${key}: ${parsed.reason}, not ${JSON.stringify(texts.join(' '))}`, {
    hint: 'docs/configuration.md lists the possible values',
  });
}

async function changeFile(
  { env, folders }: FileOf,
  key: SettingKey,
  change: (document: Document, names: string[]) => void,
): Promise<Changed> {
  const file = configPath(env, folders);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new UserError('config', `${file} is not a file that can be changed`, {
      hint: 'MEMPALACE_CONFIG names the configuration file',
    });
  const text = readConfigText(file) ?? '';
  parseConfigFile(text, file, folders.home);
  const document = parseDocument(text);
  const names = key.split('.');
  const former = plainIn(document, names);
  // A section without a value (`search:`) cannot contain one.
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = names.slice(0, depth);
    if (document.hasIn(above) && document.getIn(above) === null) document.deleteIn(above);
  }
  change(document, names);
  const value = plainIn(document, names);
  if (isDeepStrictEqual(former, value)) return { file, changed: false, former, value };
  const changed = document.toString({ lineWidth: 0 });
  resolveConfig(defaultSettings(folders), parseConfigFile(changed, file, folders.home));
  replaceFile(file, changed);
  return { file, changed: true, former, value };
}

function plainIn(document: Document, names: readonly string[]): unknown {
  const value = document.getIn(names);
  return (isNode(value) ? value.toJSON() : value) ?? null;
}
