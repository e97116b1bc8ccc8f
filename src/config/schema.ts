import { resolve } from 'node:path';
import { z } from 'zod';
import { isZone } from '../core/day.js';
import { complaint } from '../core/issues.js';
import { patternProblem } from './pattern.js';
import type { SettingKey, Settings } from './settings.js';
import { expandHome } from './texts.js';

const wanted = (what: string) => `${what} is wanted`;
const whole = (least: number, most: number) => {
  const error = wanted(`a whole number from ${least} to ${most}`);
  return z.int({ error }).min(least, { error }).max(most, { error });
};
const choice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, { error: wanted(`${names.slice(0, -1).join(', ')} or ${names.at(-1)}`) });
const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item, { error: wanted('a list (a line with - for each)') });
const mapping = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? wanted('a mapping (name: value)') : undefined),
  });

const text = (what: string, form: RegExp) => {
  const error = wanted(what);
  return z.string({ error }).regex(form, { error });
};

const path = text('a path that starts with / or ~/', /^(?:\/|~\/|~$)/);
const SHARE = wanted('a number from 0 to 1');
const WEIGHT = wanted('a number of at least 0');
const weight = z.number({ error: WEIGHT }).min(0, { error: WEIGHT });
const halfLife = text(
  'a duration such as 12h, 30d or 2w',
  /^(?:0*[1-9]\d{0,5}(?:\.\d{1,6})?|0?\.\d{0,5}[1-9])[hdw]$/,
);
const cold = text('a wing or wing/room', /^[^/]+(?:\/[^/]+)?$/);
const exclude = text("a pattern as in .gitignore, relative to a project's folder", /\S/).refine(
  (pattern) => !pattern.split(/[\\/]/).includes('..'),
  'a pattern may not reach outside (..)',
);
const rule = mapping({
  kind: text(
    'a kind of lower-case letters, digits and dashes',
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  ).describe('the name shown in place of the text: [REDACTED:<kind>]'),
  pattern: z
    .string({ error: wanted('a regular expression') })
    .superRefine((pattern, context) => {
      const problem = patternProblem(pattern);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .describe('a JavaScript regular expression (flags g and u); what it matches is replaced'),
});

/** The content of the configuration file; a setting without a value (`limit:`) does not count. */
const fileSchema = mapping({
  palace: path.nullish().describe('folder of the palace (default: ~/.mempalace/palace)'),
  model: text("a model's name", /^\S+$/).nullish().describe('embedding model (default: use-lite-int8)'),
  search: mapping({
    limit: whole(1, 4096).nullish().describe('hits of a search (default: 5)'),
    rank: choice(['relevance', 'compound', 'lexical'])
      .nullish()
      .describe(
        'by relevance, with recency and importance, or by words alone without the model (default: relevance)',
      ),
    by: choice(['source', 'drawer', 'auto'])
      .nullish()
      .describe('a hit is a source with its best passage, or a drawer; auto means source (default: source)'),
    min_score: z
      .number({ error: SHARE })
      .min(0, { error: SHARE })
      .max(1, { error: SHARE })
      .nullish()
      .describe('leave out hits with a lower score, 0 to 1 (default: 0)'),
    weights: mapping({
      relevance: weight.nullish().describe('default: 0.5'),
      recency: weight.nullish().describe('default: 0.25'),
      importance: weight.nullish().describe('default: 0.25'),
    })
      .nullish()
      .describe('parts of the compound score; not all of them 0'),
    half_life: halfLife.nullish().describe('after this time recency has halved: 12h, 30d, 2w (default: 30d)'),
    cold: list(cold).nullish().describe('wings, or wing/room, that are searched only when asked for'),
  })
    .nullish()
    .describe('defaults of mempalace search'),
  wake_up: mapping({
    tokens: whole(1, 1_000_000).nullish().describe('the most that wake-up prints, in tokens (default: 900)'),
    identity: path.nullish().describe('file that says who you are (default: ~/.mempalace/identity.txt)'),
    patterns: choice(['on', 'off'])
      .nullish()
      .describe('tell errors that recur in the folder, and their fixes (default: on)'),
    prompt: choice(['on', 'off'])
      .nullish()
      .describe('tell passages that answer the first prompt of a session (default: off)'),
  })
    .nullish()
    .describe('defaults of mempalace wake-up'),
  privacy: mapping({
    exclude_patterns: list(exclude)
      .nullish()
      .describe('documents that are never filed, in .gitignore syntax, in every project'),
    rules: list(rule).nullish().describe('more texts to replace before anything is staged or filed'),
  })
    .nullish()
    .describe('what never reaches the palace'),
  timezone: z
    .string({ error: wanted('the name of a time zone') })
    .refine(isZone, wanted('the name of a time zone, such as Europe/Berlin,'))
    .nullish()
    .describe('zone of days, such as Europe/Berlin (default: TZ, else that of the system)'),
  uses: choice(['on', 'off'])
    .nullish()
    .describe('count what is found and opened, for mempalace metabolism (default: on)'),
  broker: mapping({
    use: text('auto, off, or the address of a broker', /^\S+$/)
      .nullish()
      .describe('auto starts a broker where none runs; off does without one (default: auto)'),
    idle: text('a duration such as 90s, 30m or 2h', /^0*[1-9]\d{0,5}[smh]$/)
      .nullish()
      .describe('a broker without clients ends after this time (default: 30m)'),
    watch: text('off, or a duration such as 90s, 2m or 1h', /^(?:off|0*[1-9]\d{0,5}[smh])$/)
      .nullish()
      .describe(
        'the broker files listed projects and opencode when they have not changed for this time (default: off)',
      ),
  })
    .nullish()
    .describe('the process that serves all agents of a palace'),
  summary: mapping({
    url: text('an address that starts with http:// or https://', /^https?:\/\/\S+$/)
      .nullish()
      .describe('a chat endpoint, such as http://127.0.0.1:11434/v1 (default: none)'),
    model: text("a model's name", /\S/).nullish().describe("the model's name at the endpoint"),
    token_file: path.nullish().describe('file with the key that the endpoint wants, mode 600'),
    context: whole(1024, 1_000_000)
      .nullish()
      .describe('tokens that the model can read and write at once (default: 4096)'),
    daily_budget: whole(0, 1_000_000_000).nullish().describe('tokens per day, UTC (default: 100000)'),
    auto: choice(['on', 'off'])
      .nullish()
      .describe('summarise sessions in the background when they end (default: off)'),
  })
    .nullish()
    .describe('the model that mempalace summarise asks'),
});

/** The first error in a configuration. */
export interface Refusal {
  path: (string | number)[];
  reason: string;
  /** An unknown key in the mapping at `path`. */
  unknown?: string;
}

/** @param input parsed YAML, or an object of the same form */
export function parseSettings(input: unknown, home: string): { values: Partial<Settings> } | Refusal {
  const parsed = fileSchema.safeParse(input);
  if (!parsed.success) {
    const { issues } = parsed.error;
    // A misspelt required name is both missing and unknown: the second message is clearer.
    return refusalOf(issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]);
  }
  const { palace, model, search, wake_up, privacy, timezone, uses, broker, summary } = parsed.data;
  const values: Partial<Settings> = {
    palace: fileAt(palace, home),
    model: model ?? undefined,
    'search.limit': search?.limit ?? undefined,
    'search.rank': search?.rank ?? undefined,
    // The default of earlier versions.
    'search.by': search?.by === 'auto' ? 'source' : (search?.by ?? undefined),
    'search.min_score': search?.min_score ?? undefined,
    'search.weights.relevance': search?.weights?.relevance ?? undefined,
    'search.weights.recency': search?.weights?.recency ?? undefined,
    'search.weights.importance': search?.weights?.importance ?? undefined,
    'search.half_life': search?.half_life == null ? undefined : daysOf(search.half_life),
    'search.cold': search?.cold?.map((place) => place.normalize('NFC')),
    'wake_up.tokens': wake_up?.tokens ?? undefined,
    'wake_up.identity': fileAt(wake_up?.identity, home),
    'wake_up.patterns': wake_up?.patterns ?? undefined,
    'wake_up.prompt': wake_up?.prompt ?? undefined,
    'privacy.exclude_patterns': privacy?.exclude_patterns ?? undefined,
    'privacy.rules': privacy?.rules ?? undefined,
    timezone: timezone ?? undefined,
    uses: uses ?? undefined,
    'broker.use': broker?.use ?? undefined,
    'broker.idle': broker?.idle == null ? undefined : minutesOf(broker.idle),
    'broker.watch': broker?.watch == null ? undefined : broker.watch === 'off' ? 0 : minutesOf(broker.watch),
    'summary.url': summary?.url ?? undefined,
    'summary.model': summary?.model ?? undefined,
    'summary.token_file': fileAt(summary?.token_file, home),
    'summary.context': summary?.context ?? undefined,
    'summary.daily_budget': summary?.daily_budget ?? undefined,
    'summary.auto': summary?.auto ?? undefined,
  };
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) Reflect.deleteProperty(values, key);
  }
  return { values };
}

/** The allowed keys of the mapping at `path`. */
export function keysAt(path: readonly (string | number)[]): string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The possible values of a setting, if they can be listed. */
export function choicesOf(key: SettingKey): string[] | undefined {
  const schema = schemaAt(key.split('.'));
  return schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
}

function schemaAt(path: readonly (string | number)[]): unknown {
  let schema: unknown = fileSchema;
  for (const step of path) {
    schema = bare(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodObject) schema = schema.shape[step];
  }
  return bare(schema);
}

/** JSON Schema (2020-12) of the configuration file, for editors. */
export function jsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(fileSchema, { io: 'input' });
  return { $schema, title: 'config.yaml of mempalace-toolkit', ...schema };
}

function bare(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner;
}

function refusalOf(issue: z.core.$ZodIssue | undefined): Refusal {
  const path = (issue?.path ?? []).map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue?.code !== 'unrecognized_keys')
    return { path, reason: issue === undefined ? 'is not understood' : complaint(issue) };
  const [unknown = ''] = issue.keys;
  return { path, reason: `there is no setting ${JSON.stringify(unknown)}`, unknown };
}

function fileAt(path: string | null | undefined, home: string): string | undefined {
  return path == null ? undefined : resolve(expandHome(path, home));
}

function daysOf(duration: string): number {
  const hours = { h: 1, d: 24, w: 168 }[duration.slice(-1)] ?? 24;
  return (Number(duration.slice(0, -1)) * hours) / 24;
}

function minutesOf(duration: string): number {
  const minutes = { s: 1 / 60, m: 1, h: 60 }[duration.slice(-1)] ?? 1;
  return Number(duration.slice(0, -1)) * minutes;
}
