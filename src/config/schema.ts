import { z } from 'zod';
import { groupBy } from '../core/group-by.js';
import { complaint } from '../core/issues.js';
import { FORMS, mapping } from './forms.js';
import { valueAt } from './settings.js';
import { rowOf, SECTIONS, SETTING_KEYS, type SettingKey, type Settings } from './table.js';
import { readValue } from './texts.js';

/** The content of the configuration file; a setting without a value (`limit:`) does not count. */
const fileSchema = sectionOf(SETTING_KEYS, '');

/** @param prefix `search.`, or empty for the whole file */
function sectionOf(keys: readonly SettingKey[], prefix: string): z.ZodObject {
  const parts = groupBy(keys, (key) => key.slice(prefix.length).split('.')[0] ?? key);
  const shape = [...parts].map(([name, within]) => {
    const at = prefix + name;
    const [key] = within.filter((each) => each === at);
    if (key === undefined)
      return [
        name,
        sectionOf(within, `${at}.`)
          .nullish()
          .describe(SECTIONS[at] ?? ''),
      ] as const;
    const { form, says } = rowOf(key);
    return [name, form(FORMS).nullish().describe(says)] as const;
  });
  return mapping(Object.fromEntries(shape));
}

/** The first error in a configuration. */
export interface Refusal {
  path: (string | number)[];
  reason: string;
  /** An unknown key in the mapping at `path`. */
  unknown?: string;
}

/** @param input parsed YAML, or an object of the same form */
export function parseSettings(input: unknown, home: string): { values: Partial<Settings> } | Refusal {
  const { data, error } = fileSchema.safeParse(input);
  // A misspelt required name is both missing and unknown: the second message is clearer.
  if (error !== undefined)
    return refusalOf(error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]);
  const values = SETTING_KEYS.flatMap((key) => {
    const said = valueAt(data, key);
    return said == null ? [] : [[key, readValue(key, said, home)]];
  });
  return { values: Object.fromEntries(values) as Partial<Settings> };
}

/** The allowed keys of the mapping at `path`. */
export function keysAt(path: readonly (string | number)[]): string[] {
  let schema: unknown = fileSchema;
  for (const step of path) {
    schema = bare(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodObject) schema = schema.shape[step];
  }
  const found = bare(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
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
