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
