import { join } from 'node:path';
import { UserError } from '../core/errors.js';
import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../core/importance.js';
import type { Folders } from '../platform/folders.js';

/** Texts that `pattern` (JavaScript, flags `gu`) matches are replaced by `[REDACTED:<kind>]`. */
export interface PrivacyRule {
  kind: string;
  pattern: string;
}

/** Every setting by its key in the configuration file, with the value that the program uses. */
export interface Settings {
  /** Absolute. */
  palace: string;
  /** A model of the registry, or the address of an embeddings endpoint. */
  model: string;
  'search.limit': number;
  'search.rank': 'relevance' | 'compound' | 'lexical';
  'search.by': 'source' | 'drawer';
  /** 0 to 1. */
  'search.min_score': number;
  /** Each weight is at least 0, and one is more; they need not add up to 1. */
  'search.weights.relevance': number;
  'search.weights.recency': number;
  'search.weights.importance': number;
  /** Days. */
  'search.half_life': number;
  /** `wing` or `wing/room`. */
  'search.cold': string[];
  'wake_up.tokens': number;
  /** Absolute; the file need not exist. */
  'wake_up.identity': string;
  /** Whether errors that recur in a folder are told at the start of a session there. */
  'wake_up.patterns': 'on' | 'off';
  /** Whether passages that answer the first prompt of a session are told with it. */
  'wake_up.prompt': 'on' | 'off';
  /** `.gitignore` syntax, relative to a project's root. */
  'privacy.exclude_patterns': string[];
  'privacy.rules': PrivacyRule[];
  /** Name of the zone of the user's days, such as `Europe/Berlin`; empty: TZ, else the system's. */
  timezone: string;
  /** Whether uses of drawers are counted beside the palace. */
  uses: 'on' | 'off';
  /** `auto`, `off`, or the address of a broker. */
  'broker.use': string;
  /** Minutes. */
  'broker.idle': number;
  /** Minutes without a change before the broker files what changed; 0: it does not watch. */
  'broker.watch': number;
  /** Address of a chat endpoint; empty: no model makes summaries. */
  'summary.url': string;
  /** Its name at the endpoint. */
  'summary.model': string;
  /** Absolute, or empty. */
  'summary.token_file': string;
  /** Tokens that the model reads and writes at once. */
  'summary.context': number;
  /** Tokens per day (UTC). */
  'summary.daily_budget': number;
  /** Whether sessions get a summary when they end. */
  'summary.auto': 'on' | 'off';
}

export type SettingKey = keyof Settings;

/**
 * What the page may change: how much is found and told, and in which order. Nothing that runs programs, opens ports, sends text
 * elsewhere, names files, weakens privacy, or tells agents text of any source unasked.
 */
export const PAGE_SETTINGS = [
  'search.limit',
  'search.rank',
  'search.by',
  'search.min_score',
  'search.weights.relevance',
  'search.weights.recency',
  'search.weights.importance',
  'search.half_life',
  'wake_up.tokens',
  'wake_up.patterns',
  'uses',
] as const satisfies readonly SettingKey[];
type ListKey = 'search.cold' | 'privacy.exclude_patterns' | 'privacy.rules';
/** Settings with an environment variable or a flag. */
export type ScalarKey = Exclude<SettingKey, ListKey>;

/** Settings from one place, and the origin of each: `<file>:<line>`, a variable's name, or a flag. */
export interface Layer {
  values: Partial<Settings>;
  origins: Partial<Record<SettingKey, string>>;
}

export type Config = ReturnType<typeof resolveConfig>;

/** Defaults. The identity file is where MemPalace stores it. */
export function defaultSettings(folders: Pick<Folders, 'home'>): Settings {
  return {
    palace: join(folders.home, '.mempalace', 'palace'),
    model: 'use-lite-int8',
    'search.limit': 5,
    'search.rank': 'relevance',
    'search.by': 'source',
    'search.min_score': 0,
    'search.weights.relevance': DEFAULT_WEIGHTS.relevance,
    'search.weights.recency': DEFAULT_WEIGHTS.recency,
    'search.weights.importance': DEFAULT_WEIGHTS.importance,
    'search.half_life': DEFAULT_HALF_LIFE_DAYS,
    'search.cold': [],
    'wake_up.tokens': 900,
    'wake_up.identity': join(folders.home, '.mempalace', 'identity.txt'),
    'wake_up.patterns': 'on',
    'wake_up.prompt': 'off',
    'privacy.exclude_patterns': [],
    'privacy.rules': [],
    timezone: '',
    uses: 'on',
    'broker.use': 'auto',
    'broker.idle': 30,
    'broker.watch': 0,
    'summary.url': '',
    'summary.model': '',
    'summary.token_file': '',
    'summary.context': 4096,
    'summary.daily_budget': 100_000,
    'summary.auto': 'off',
  };
}

/**
 * The current settings, in camel case: a later layer overrides an earlier one, value by value; a list is replaced as a
 * whole.
 *
 * @throws UserError `config` when all ranking weights are 0
 */
export function resolveConfig(defaults: Settings, ...layers: Layer[]) {
  const values: Settings = Object.assign({}, defaults, ...layers.map((layer) => layer.values));
  /** By key of the file; `default` for a default. */
  const origins = new Map<string, string>(Object.keys(defaults).map((key) => [key, 'default']));
  for (const layer of layers) {
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
      hint: 'at least one weight must be more than 0',
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
    wakeUp: {
      tokens: values['wake_up.tokens'],
      identity: values['wake_up.identity'],
      patterns: values['wake_up.patterns'],
      prompt: values['wake_up.prompt'],
    },
    privacy: { excludePatterns: values['privacy.exclude_patterns'], rules: values['privacy.rules'] },
    timezone: values.timezone,
    uses: values.uses,
    broker: {
      use: values['broker.use'],
      idleMinutes: values['broker.idle'],
      watchMinutes: values['broker.watch'],
    },
    summary: {
      url: values['summary.url'],
      model: values['summary.model'],
      tokenFile: values['summary.token_file'],
      context: values['summary.context'],
      dailyBudget: values['summary.daily_budget'],
      auto: values['summary.auto'],
    },
    origins,
  };
}

/**
 * The cold places that a search leaves out: all except those that the query names.
 *
 * @param cold `wing` or `wing/room`
 */
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
