import { join, resolve } from 'node:path';
import { UserError } from '../core/errors.js';
import type { Layer, ScalarKey, SettingKey } from './settings.js';

/** The settings with a variable or a flag, and the type of each. */
const SCALARS: Record<ScalarKey, 'text' | 'number' | 'path'> = {
  palace: 'path',
  model: 'text',
  'search.limit': 'number',
  'search.rank': 'text',
  'search.by': 'text',
  'search.min_score': 'number',
  'search.weights.relevance': 'number',
  'search.weights.recency': 'number',
  'search.weights.importance': 'number',
  'search.half_life': 'text',
  'wake_up.tokens': 'number',
  'wake_up.identity': 'path',
  'wake_up.patterns': 'text',
  'wake_up.prompt': 'text',
  timezone: 'text',
  uses: 'text',
  'broker.use': 'text',
  'broker.idle': 'text',
  'broker.watch': 'text',
  'summary.url': 'text',
  'summary.model': 'text',
  'summary.token_file': 'path',
  'summary.context': 'number',
  'summary.daily_budget': 'number',
  'summary.auto': 'text',
};

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

export function isScalar(key: string): key is ScalarKey {
  return Object.hasOwn(SCALARS, key);
}

/** `~` and `~/…` become paths in the home folder; `~name` is unchanged. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** The settings in the environment. */
export function environmentTexts(env: NodeJS.ProcessEnv): Texts {
  return Object.fromEntries(
    Object.keys(SCALARS)
      .filter(isScalar)
      .map((key) => [key, env[variableOf(key)]]),
  );
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
  for (const key of Object.keys(SCALARS).filter(isScalar)) {
    const text = texts[key];
    if (text === undefined || text === '') continue;
    origins[key] = nameOf(key);
    given.push([key, readText(key, text, home)]);
  }
  const { palace, model, uses, 'broker.use': broker, ...others } = Object.fromEntries(given);
  const isSwitch = uses === 'on' || uses === 'off';
  if (Object.keys(others).length === 0 && (uses === undefined || isSwitch)) {
    const values: Layer['values'] = {};
    if (typeof palace === 'string') values.palace = palace;
    if (typeof model === 'string') values.model = model;
    if (isSwitch) values.uses = uses;
    if (typeof broker === 'string') values['broker.use'] = broker;
    return { values, origins };
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
  if (SCALARS[key] === 'path') return resolve(expandHome(text, home));
  return SCALARS[key] === 'number' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. */
export function nest(given: readonly [SettingKey, unknown][]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of given) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    let section = root;
    for (const name of names) {
      section[name] ??= {};
      section = Object(section[name]);
    }
    section[last] = value;
  }
  return root;
}
