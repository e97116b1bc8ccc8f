import { isRecord } from '../core/json.js';

/** Fields of a call's input, which may be any JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none for any other JSON. */
export function fieldsOf(input: unknown): Fields {
  return isRecord(input) ? input : {};
}

/** The first field of these names that is a text with more than white space. */
export function textField(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** The first field of these names that is a list. */
export function listField(fields: Fields, names: readonly string[]): readonly unknown[] | undefined {
  for (const name of names) {
    const value = fields[name];
    if (Array.isArray(value)) return value;
  }
  return undefined;
}

/** More than all programs have; a transcript may contain any names. */
const MOST_NAMES = 500;
/** A session calls a few tools thousands of times. */
const known = new Map<string, string>();

/** The name of a tool in lower case without punctuation: programs and releases spell it differently. */
export function toolName(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const tool = name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  if (known.size === MOST_NAMES) known.clear();
  known.set(name, tool);
  return tool;
}
