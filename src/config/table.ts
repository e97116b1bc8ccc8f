import { join } from 'node:path';
import type { z } from 'zod';
import { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS } from '../core/importance.js';
import type { Forms } from './forms.js';

/** Texts that `pattern` (JavaScript, flags `gu`) matches are replaced by `[REDACTED:<kind>]`. */
export interface PrivacyRule {
  kind: string;
  pattern: string;
}

/** A setting, with everything that is said about it. */
interface Setting<Value> {
  /** What it is for, in the JSON schema of the configuration file. */
  readonly says: string;
  /** Its value where nobody sets it. */
  readonly usual: Value | ((home: string) => Value);
  /** What the configuration file may say. */
  readonly form: (is: Forms) => z.ZodType;
  /** What a variable or a flag says; absent: only the file has it. */
  readonly text?: 'text' | 'number' | 'path';
  /** All that the file may say, where that is known without the schema. */
  readonly choices?: readonly string[];
  /** Every text is allowed in a variable and in a flag. */
  readonly unchecked?: true;
  /** The value of what the file says, and back; absent: the same. A path becomes absolute. */
  readonly read?: (said: never) => Value;
  readonly write?: (value: Value) => string;
  /**
   * The page may change it: how much is found and told, and in which order. Nothing that runs programs, opens ports, sends text
   * elsewhere, names files, weakens privacy, or tells agents text of any source unasked.
   */
  readonly onPage?: true;
}

type More<Value> = Partial<Setting<Value>>;
const ON_PAGE = { onPage: true } as const;

const number = (
  usual: number,
  says: string,
  form: Setting<number>['form'],
  more: More<number> = {},
): Setting<number> => ({ text: 'number', usual, says, form, ...more });
const weight = (usual: number) => number(usual, `default: ${usual}`, (is) => is.weight, ON_PAGE);

const text = (
  usual: string,
  says: string,
  form: Setting<string>['form'],
  more: More<string> = {},
): Setting<string> => ({ text: 'text', usual, says, form, ...more });
/** Absolute. */
const path = (usual: string | ((home: string) => string), says: string, more: More<string> = {}) =>
  text('', says, (is) => is.path, { text: 'path', usual, ...more });

/** @param usual one of the choices */
const choice = <const Value extends string>(
  choices: readonly [Value, ...Value[]],
  usual: NoInfer<Value>,
  says: string,
  more: More<Value> = {},
): Setting<Value> => ({ text: 'text', choices, usual, says, form: (is) => is.choice(choices), ...more });
const onOff = (usual: 'on' | 'off', says: string, more: More<'on' | 'off'> = {}) =>
  choice(['on', 'off'], usual, says, more);

/** A length of time, as a number of days or minutes. */
const duration = (
  usual: number,
  says: string,
  form: Setting<number>['form'],
  how: Required<Pick<Setting<number>, 'read' | 'write'>> & More<number>,
): Setting<number> => ({ text: 'text', usual, says, form, ...how });
const inDays = {
  read: daysOf,
  write: (days: number) => (Number.isInteger(days) ? `${days}d` : `${days * 24}h`),
};
const inMinutes = { read: minutesOf, write: minutesText };

const list = <Item>(says: string, form: Setting<Item[]>['form']): Setting<Item[]> => ({
  usual: [],
  says,
  form,
});

/** Every setting by its key in the configuration file, in the order of the file's schema. */
const SETTINGS = {
  palace: path(
    (home) => join(home, '.mempalace', 'palace'),
    'folder of the palace (default: ~/.mempalace/palace)',
    {
      unchecked: true,
    },
  ),
  /** A model of the registry, or the address of an embeddings endpoint. */
  model: text('use-lite-int8', 'embedding model (default: use-lite-int8)', (is) => is.modelName, {
    unchecked: true,
  }),
  'search.limit': number(5, 'hits of a search (default: 5)', ({ whole }) => whole(1, 4096), ON_PAGE),
  'search.rank': choice(
    ['relevance', 'compound', 'lexical'],
    'relevance',
    'by relevance, with recency and importance, or by words alone without the model (default: relevance)',
    ON_PAGE,
  ),
  'search.by': {
    ...choice(
      ['source', 'drawer'],
      'source',
      'a hit is a source with its best passage, or a drawer; auto means source (default: source)',
      ON_PAGE,
    ),
    // The default of earlier versions.
    choices: ['source', 'drawer', 'auto'],
    form: ({ choice }) => choice(['source', 'drawer', 'auto']),
    read: (said: string) => (said === 'drawer' ? said : 'source'),
  } as Setting<'source' | 'drawer'>,
  'search.min_score': number(
    0,
    'leave out hits with a lower score, 0 to 1 (default: 0)',
    (is) => is.share,
    ON_PAGE,
  ),
  'search.weights.relevance': weight(DEFAULT_WEIGHTS.relevance),
  'search.weights.recency': weight(DEFAULT_WEIGHTS.recency),
  'search.weights.importance': weight(DEFAULT_WEIGHTS.importance),
  'search.half_life': duration(
    DEFAULT_HALF_LIFE_DAYS,
    'after this time recency has halved: 12h, 30d, 2w (default: 30d)',
    (is) => is.halfLife,
    { ...inDays, ...ON_PAGE },
  ),
  /** `wing` or `wing/room`. */
  'search.cold': {
    ...list<string>('wings, or wing/room, that are searched only when asked for', (is) => is.places),
    read: (said: readonly string[]) => said.map((place) => place.normalize('NFC')),
  },
  'wake_up.tokens': number(
    900,
    'the most that wake-up prints, in tokens (default: 900)',
    ({ whole }) => whole(1, 1_000_000),
    ON_PAGE,
  ),
  /** The file need not exist. MemPalace stores it there, too. */
  'wake_up.identity': path(
    (home) => join(home, '.mempalace', 'identity.txt'),
    'file that says who you are (default: ~/.mempalace/identity.txt)',
  ),
  'wake_up.patterns': onOff(
    'on',
    'tell errors that recur in the folder, and their fixes (default: on)',
    ON_PAGE,
  ),
  'wake_up.prompt': onOff('off', 'tell passages that answer the first prompt of a session (default: off)'),
  'privacy.exclude_patterns': list<string>(
    'documents that are never filed, in .gitignore syntax, in every project',
    (is) => is.patterns,
  ),
  'privacy.rules': list<PrivacyRule>(
    'more texts to replace before anything is staged or filed',
    (is) => is.rules,
  ),
  /** Empty: TZ, else the system's. */
  timezone: text(
    '',
    'zone of days, such as Europe/Berlin (default: TZ, else that of the system)',
    (is) => is.zone,
  ),
  uses: onOff('on', 'count what is found and opened, for mempalace suggestions (default: on)', ON_PAGE),
  'broker.use': text(
    'auto',
    'auto starts a broker where none runs; off does without one (default: auto)',
    (is) => is.broker,
    { unchecked: true },
  ),
  'broker.idle': duration(
    30,
    'a broker without clients ends after this time (default: 30m)',
    (is) => is.idle,
    inMinutes,
  ),
  /** 0: it does not watch. */
  'broker.watch': duration(
    0,
    'the broker files listed projects and sessions when they have not changed for this time (default: off)',
    (is) => is.watch,
    {
      read: (said: string) => (said === 'off' ? 0 : minutesOf(said)),
      write: (minutes) => (minutes === 0 ? 'off' : minutesText(minutes)),
    },
  ),
  /** Empty: no model makes summaries. */
  'summary.url': text(
    '',
    'a chat endpoint, such as http://127.0.0.1:11434/v1 (default: none)',
    (is) => is.url,
  ),
  'summary.model': text('', "the model's name at the endpoint", (is) => is.nameThere),
  'summary.token_file': path('', 'file with the key that the endpoint wants, mode 600'),
  'summary.context': number(
    4096,
    'tokens that the model can read and write at once (default: 4096)',
    ({ whole }) => whole(1024, 1_000_000),
  ),
  'summary.daily_budget': number(100_000, 'tokens per day, UTC (default: 100000)', ({ whole }) =>
    whole(0, 1_000_000_000),
  ),
  'summary.auto': onOff('off', 'summarise sessions in the background when they end (default: off)'),
};

/** What the sections of the file are for. */
export const SECTIONS: Readonly<Record<string, string>> = {
  search: 'defaults of mempalace search',
  'search.weights': 'parts of the compound score; not all of them 0',
  wake_up: 'defaults of mempalace wake-up',
  privacy: 'what never reaches the palace',
  broker: 'the process that serves all agents of a palace',
  summary: 'the model that mempalace summarise asks',
};

export type SettingKey = keyof typeof SETTINGS;
/** Every setting with the value that the program uses. */
export type Settings = {
  [Key in SettingKey]: (typeof SETTINGS)[Key] extends Setting<infer Value> ? Value : never;
};
type ListKey = 'search.cold' | 'privacy.exclude_patterns' | 'privacy.rules';
/** Settings with an environment variable or a flag. */
export type ScalarKey = Exclude<SettingKey, ListKey>;

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** The row of a setting, whatever its value is. */
export const rowOf = (key: SettingKey): Setting<unknown> => SETTINGS[key] as Setting<unknown>;

export const PAGE_SETTINGS = SETTING_KEYS.filter((key) => rowOf(key).onPage);

function daysOf(said: string): number {
  const hours = { h: 1, d: 24, w: 168 }[said.slice(-1)] ?? 24;
  return (Number(said.slice(0, -1)) * hours) / 24;
}

function minutesOf(said: string): number {
  const minutes = { s: 1 / 60, m: 1, h: 60 }[said.slice(-1)] ?? 1;
  return Number(said.slice(0, -1)) * minutes;
}

function minutesText(minutes: number): string {
  return Number.isInteger(minutes) ? `${minutes}m` : `${Math.round(minutes * 60)}s`;
}
