import { readFileSync } from 'node:fs';

/**
 * What a transcript says, found without the readers: a walk over the raw JSON that collects the strings at places
 * that a row names. It knows nothing of replay, copies or order.
 */
export interface Said {
  /** Who: `user`, `assistant`, or `tool` for calls and results. */
  who: string;
  /** The same for every copy of one message; undefined where the record cannot tell. */
  message: string | undefined;
  text: string;
}

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The records of a file: lines of JSON, or one value. */
export function recordsOf(path: string): Json[] {
  const text = readFileSync(path, 'utf8');
  const values: unknown[] = text.startsWith('{\n')
    ? [JSON.parse(text)]
    : text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
  return values.filter(isJson);
}

/** What lies at a path of keys; lists are walked through. */
export function at(value: unknown, ...keys: string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => at(each, ...keys));
  const [key, ...rest] = keys;
  if (key === undefined) return [value];
  return isJson(value) && value[key] !== undefined ? at(value[key], ...rest) : [];
}

export function strings(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** Every string in a value, however deep. */
export function leaves(value: unknown): string[] {
  if (typeof value === 'string') return strings([value]);
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isJson(value) ? Object.values(value).flatMap(leaves) : [];
}
