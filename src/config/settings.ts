import { join } from 'node:path';
import { UserError } from '../core/errors.js';
import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../core/importance.js';
import type { Folders } from '../platform/folders.js';

/** Texts that `pattern` (JavaScript, flags `gu`) matches are replaced by `[REDACTED:<kind>]`. */
export interface PrivacyRule {
  kind: string;
  pattern: string;
}

/** Every setting under its key in the configuration file, in the form the program uses. */
export interface Settings {
  /** Absolute. */
  palace: string;
  model: string;
  'search.limit': number;
  'search.rank': 'relevance' | 'compound';
  'search.by': 'auto' | 'drawer' | 'source';
  'search.min_score': number;
  'search.weights.relevance': number;
  'search.weights.recency': number;
  'search.weights.importance': number;
  /** Days. */
  'search.half_life': number;
  'search.cold': string[];
  'wake_up.tokens': number;
  /** Absolute. */
  'wake_up.identity': string;
  'privacy.exclude_patterns': string[];
  'privacy.rules': PrivacyRule[];
}

export type SettingKey = keyof Settings;
type ListKey = 'search.cold' | 'privacy.exclude_patterns' | 'privacy.rules';
/** Settings that an environment variable or a flag can hold. */
export type ScalarKey = Exclude<SettingKey, ListKey>;

/** Settings from one place, and where exactly each of them stands. */
export interface Layer {
  values: Partial<Settings>;
  origins: Partial<Record<SettingKey, string>>;
}

/** What the commands read; the names of the file in camel case. */
export interface Config {
  /** Folder of the palace, absolute: flag, environment, file or the default. */
  palace: string;
  /** A model of the registry, or the address of an embeddings endpoint. */
  model: string;
  search: {
    limit: number;
    rank: 'relevance' | 'compound';
    by: 'auto' | 'drawer' | 'source';
    /** 0 to 1. */
    minScore: number;
    /** Each at least 0, one of them more; they need not add up to 1. */
    weights: { relevance: number; recency: number; importance: number };
    halfLifeDays: number;
    /** `wing` or `wing/room`. */
    cold: string[];
  };
  wakeUp: {
    tokens: number;
    /** Absolute path of a file that need not exist. */
    identity: string;
  };
  privacy: {
    /** `.gitignore` syntax, relative to a project's root. */
    excludePatterns: string[];
    rules: PrivacyRule[];
  };
  /** By key of the file (`search.limit`): `default`, `<file>:<line>`, a variable's name, or a flag. */
  origins: Map<string, string>;
}

/** Defaults. The identity file is where MemPalace stores it. */
export function defaultSettings(folders: Pick<Folders, 'home'>): Settings {
  return {
    palace: join(folders.home, '.mempalace', 'palace'),
    model: 'use-lite',
    'search.limit': 5,
    'search.rank': 'relevance',
    'search.by': 'auto',
    'search.min_score': 0,
    'search.weights.relevance': DEFAULT_WEIGHTS.relevance,
    'search.weights.recency': DEFAULT_WEIGHTS.recency,
    'search.weights.importance': DEFAULT_WEIGHTS.importance,
    'search.half_life': DEFAULT_HALF_LIFE_DAYS,
    'search.cold': [],
    'wake_up.tokens': 900,
    'wake_up.identity': join(folders.home, '.mempalace', 'identity.txt'),
    'privacy.exclude_patterns': [],
    'privacy.rules': [],
  };
}

/**
 * The settings in force: the later layer wins, value by value; a list is replaced as a whole.
 *
 * @throws UserError `config` when all ranking weights are 0
 */
export function resolveConfig(defaults: Settings, file: Layer, environment: Layer, flags: Layer): Config {
  const values: Settings = { ...defaults, ...file.values, ...environment.values, ...flags.values };
  const origins = new Map<string, string>(Object.keys(defaults).map((key) => [key, 'default']));
  for (const layer of [file, environment, flags]) {
    for (const [key, origin] of Object.entries(layer.origins)) origins.set(key, origin);
  }
  const weights = {
    relevance: values['search.weights.relevance'],
    recency: values['search.weights.recency'],
    importance: values['search.weights.importance'],
  };
  if (weights.relevance + weights.recency + weights.importance === 0) {
    const where = Object.keys(weights).map((name) => origins.get(`search.weights.${name}`));
    throw new UserError('config', `${[...new Set(where)].join(', ')}: search.weights: all of them are 0`, {
      hint: 'one weight at least must be more than 0',
    });
  }
  return {
    palace: values.palace,
    model: values.model,
    search: {
      limit: values['search.limit'],
      rank: values['search.rank'],
      by: values['search.by'],
      minScore: values['search.min_score'],
      weights,
      halfLifeDays: values['search.half_life'],
      cold: values['search.cold'],
    },
    wakeUp: { tokens: values['wake_up.tokens'], identity: values['wake_up.identity'] },
    privacy: { excludePatterns: values['privacy.exclude_patterns'], rules: values['privacy.rules'] },
    origins,
  };
}
