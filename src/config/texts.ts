import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { UserError } from '../core/errors.js';
import type { Layer, ScalarKey } from './settings.js';

/** The settings that a variable or a flag can hold, and which of them are numbers. */
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
};

/** Values as they stand on a command line or in the environment. */
export type Texts = Partial<Record<ScalarKey, string | undefined>>;

/**
 * The environment variable of a setting: its key in capitals, with `_` for `.`, after `MEMPALACE_`. Only the
 * palace has an older name, MemPalace's own.
 */
export function variableOf(key: ScalarKey): string {
  if (key === 'palace') return 'MEMPALACE_PALACE_PATH';
  return `MEMPALACE_${key.replaceAll('.', '_').toUpperCase()}`;
}

/** The flag of a setting: the last part of its key, with dashes. */
export function flagOf(key: ScalarKey): string {
  return `--${(key.split('.').at(-1) ?? key).replaceAll('_', '-')}`;
}

export function isScalar(key: string): key is ScalarKey {
  return Object.hasOwn(SCALARS, key);
}

/** `~` and `~/…` with HOME in its place; `~name` is left alone. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** What the environment says; empty variables count as unset. */
export function environmentTexts(env: NodeJS.ProcessEnv): Texts {
  const texts: Texts = {};
  for (const key of Object.keys(SCALARS).filter(isScalar)) texts[key] = env[variableOf(key)];
  return texts;
}

/**
 * A layer from texts. Relative paths are relative to the working folder. What is more than a text is checked
 * by the file's schema, which is loaded for it.
 *
 * @throws UserError with `code` that names the variable or the flag
 */
export async function layerOfTexts(
  texts: Texts,
  nameOf: (key: ScalarKey) => string,
  code: 'config' | 'usage',
  home: string = homedir(),
): Promise<Layer> {
  const origins: Layer['origins'] = {};
  const given: [ScalarKey, string | number][] = [];
  for (const key of Object.keys(SCALARS).filter(isScalar)) {
    const text = texts[key];
    if (text === undefined || text === '') continue;
    origins[key] = nameOf(key);
    given.push([key, readText(key, text, home)]);
  }
  const { palace, model, ...others } = Object.fromEntries(given);
  if (Object.keys(others).length === 0) {
    const values: Layer['values'] = {};
    if (typeof palace === 'string') values.palace = palace;
    if (typeof model === 'string') values.model = model;
    return { values, origins };
  }
  const { parseSettings } = await import('./schema.js');
  const parsed = parseSettings(nest(given), home);
  if ('values' in parsed) return { values: parsed.values, origins };
  const key = parsed.path.join('.');
  const name = isScalar(key) ? nameOf(key) : key;
  throw new UserError(code, `${name}: ${parsed.reason}, not "${isScalar(key) ? texts[key] : ''}"`, {
    hint:
      code === 'config' ? 'correct the variable, or unset it' : 'docs/configuration.md says what it may be',
  });
}

function readText(key: ScalarKey, text: string, home: string): string | number {
  if (SCALARS[key] === 'path') return resolve(expandHome(text, home));
  // What is no number stays a text, and the schema says what is wanted.
  return SCALARS[key] === 'number' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. */
function nest(given: readonly [ScalarKey, string | number][]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of given) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    let at: Record<string, unknown> = root;
    for (const name of names) {
      const inner: Record<string, unknown> = { ...Object(at[name]) };
      at[name] = inner;
      at = inner;
    }
    at[last] = value;
  }
  return root;
}
