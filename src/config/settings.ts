import { UserError } from '../core/errors.js';
import type { Folders } from '../platform/folders.js';
import { rowOf, SETTING_KEYS, type SettingKey, type Settings } from './table.js';

/** Settings from one place, and the origin of each: `<file>:<line>`, a variable's name, or a flag. */
export interface Layer {
  values: Partial<Settings>;
  origins: Partial<Record<SettingKey, string>>;
}

export function defaultSettings({ home }: Pick<Folders, 'home'>): Settings {
  const values = SETTING_KEYS.map((key) => {
    const { usual } = rowOf(key);
    return [key, typeof usual === 'function' ? (usual as (home: string) => unknown)(home) : usual];
  });
  return Object.fromEntries(values) as Settings;
}

/** Units of values which the file gives as durations. */
const UNITS = { half_life: 'Days', idle: 'Minutes', watch: 'Minutes' } as const;

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type Named<Name extends string> =
  `${Camel<Name>}${Name extends keyof typeof UNITS ? (typeof UNITS)[Name] : ''}`;
type Nested<Values> = {
  [Key in keyof Values & string as Key extends `${infer Section}.${string}`
    ? Camel<Section>
    : Named<Key>]: Key extends `${infer Section}.${string}`
    ? Nested<{
        [Each in keyof Values as Each extends `${Section}.${infer Rest}` ? Rest : never]: Values[Each];
      }>
    : Values[Key];
};

export type Config = Nested<Settings> & {
  /** By key of the file; `default` for a default. */
  origins: Map<string, string>;
};

/**
 * The current settings, in camel case: a later layer overrides an earlier one, value by value; a list is replaced as a
 * whole.
 *
 * @throws UserError `config` when all ranking weights are 0
 */
export function resolveConfig(defaults: Settings, ...layers: Layer[]): Config {
  const values: Settings = Object.assign({}, defaults, ...layers.map((layer) => layer.values));
  const origins = new Map<string, string>(SETTING_KEYS.map((key) => [key, 'default']));
  for (const layer of layers) {
    for (const [key, origin] of Object.entries(layer.origins)) origins.set(key, origin);
  }
  const weights = SETTING_KEYS.filter((key) => key.startsWith('search.weights.'));
  if (weights.every((key) => values[key] === 0)) {
    const where = weights.map((key) => origins.get(key));
    throw new UserError('config', `${[...new Set(where)].join(', ')}: search.weights: all of them are 0`, {
      hint: 'at least one weight must be more than 0',
    });
  }
  const named = SETTING_KEYS.map((key): [string, unknown] => [placeOf(key), values[key]]);
  return Object.assign(nest(named) as Nested<Settings>, { origins });
}

/** Where a setting is in the configuration: `search.halfLifeDays` */
export function placeOf(key: SettingKey): string {
  const last = key.split('.').at(-1) ?? key;
  const unit = Object.hasOwn(UNITS, last) ? UNITS[last as keyof typeof UNITS] : '';
  return key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) + unit;
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. */
export function nest(given: readonly (readonly [string, unknown])[]): Record<string, unknown> {
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

/** The value at `a.b` in `{ a: { b: 1 } }`. */
export const valueAt = (root: unknown, key: string): unknown =>
  key.split('.').reduce((value, name) => (value == null ? undefined : Object(value)[name]), root);

/** The cold places (`wing` or `wing/room`) that a search leaves out: all except those that the query names. */
export function leftOut(
  cold: readonly string[],
  named: { wing?: string | undefined; room?: string | undefined },
): { wing: string; room?: string | undefined }[] {
  return cold
    .map((place) => place.split('/'))
    .map(([wing = '', room]) => ({ wing, room }))
    .filter(({ wing, room }) => {
      if (room === undefined) return wing !== named.wing;
      return room !== named.room || (named.wing !== undefined && wing !== named.wing);
    });
}
