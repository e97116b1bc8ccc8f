import { join, resolve } from 'node:path';
import { UserError } from '../core/errors.js';
import { type Layer, nest } from './settings.js';
import { rowOf, type ScalarKey, SETTING_KEYS, type SettingKey } from './table.js';

/** Values from a command line or the environment. */
export type Texts = Partial<Record<ScalarKey, string | undefined>>;

/** The environment variable of a setting: its key in capitals, with `_` for `.`. The palace has MemPalace's name. */
export function variableOf(key: ScalarKey): string {
  if (key === 'palace') return 'MEMPALACE_PALACE_PATH';
  if (key === 'broker.use') return 'MEMPALACE_BROKER';
  return `MEMPALACE_${key.replaceAll('.', '_').toUpperCase()}`;
}

/** The flag of a setting: the last part of its key, with dashes. */
export function flagOf(key: ScalarKey): string {
  return `--${(key.split('.').at(-1) ?? key).replaceAll('_', '-')}`;
}

const SCALARS = SETTING_KEYS.filter((key): key is ScalarKey => rowOf(key).text !== undefined);

export const isScalar = (key: string): key is ScalarKey => SCALARS.some((each) => each === key);

/** The value of a setting that the configuration file may contain. */
export function readValue(key: SettingKey, said: unknown, home: string): unknown {
  const { text, read } = rowOf(key);
  if (text === 'path' && typeof said === 'string') return resolve(expandHome(said, home));
  return read === undefined ? said : read(said as never);
}

/** `~` and `~/…` become paths in the home folder; `~name` is unchanged. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

export function environmentTexts(env: NodeJS.ProcessEnv): Texts {
  return Object.fromEntries(SCALARS.map((key) => [key, env[variableOf(key)]]));
}

/**
 * A layer from texts; empty ones do not count. Relative paths are relative to the working folder. The file's schema is
 * loaded only for values that it must check.
 *
 * @throws UserError with `code` that names the variable or the flag
 */
export async function layerOfTexts(
  texts: Texts,
  nameOf: (key: ScalarKey) => string,
  code: 'config' | 'usage',
  home: string,
): Promise<Layer> {
  const origins: Layer['origins'] = {};
  const given: [ScalarKey, string | number][] = [];
  for (const key of SCALARS) {
    const text = texts[key];
    if (text === undefined || text === '') continue;
    origins[key] = nameOf(key);
    given.push([key, readText(key, text, home)]);
  }
  const isKnown = given.every(([key, said]) => {
    const { unchecked, choices } = rowOf(key);
    return unchecked ?? choices?.some((choice) => choice === said) ?? false;
  });
  if (isKnown) {
    const values = given.map(([key, said]) => [key, readValue(key, said, home)]);
    return { values: Object.fromEntries(values) as Layer['values'], origins };
  }
  const { parseSettings } = await import('./schema.js');
  const parsed = parseSettings(nest(given), home);
  if ('values' in parsed) return { values: parsed.values, origins };
  const key = parsed.path.join('.');
  const name = isScalar(key) ? nameOf(key) : key;
  throw new UserError(code, `${name}: ${parsed.reason}, not "${isScalar(key) ? texts[key] : ''}"`, {
    hint: 'docs/configuration.md lists the possible values',
  });
}

/** A text that is not a number stays a text, for the message of the schema. */
export function readText(key: ScalarKey, text: string, home: string): string | number {
  const { text: kind } = rowOf(key);
  if (kind === 'path') return resolve(expandHome(text, home));
  return kind === 'number' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
}
