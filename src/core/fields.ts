import { isRecord } from './json.js';

/**
 * Fields of JSON from outside, of which any may be missing or have another type: it then counts as missing. A record of a
 * transcript has some of very many fields, so that a schema of them would be longer than the reader, and slower.
 * Without a path, each of these functions judges the value itself.
 */
export type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];

export function value(json: unknown, ...path: Path): unknown {
  let found = json;
  for (const field of path) found = isRecord(found) ? found[field] : undefined;
  return found;
}

export function text(json: unknown, ...path: Path): string | undefined {
  const found = value(json, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** A text that is not empty. */
export function name(json: unknown, ...path: Path): string | undefined {
  return text(json, ...path) || undefined;
}

/** A finite number. */
export function number(json: unknown, ...path: Path): number | undefined {
  const found = value(json, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

export function object(json: unknown, ...path: Path): Fields | undefined {
  const found = value(json, ...path);
  return isRecord(found) ? found : undefined;
}

/** Empty if there is no list. */
export function list(json: unknown, ...path: Path): readonly unknown[] {
  const found = value(json, ...path);
  return Array.isArray(found) ? found : [];
}

/** Those items of a list that are objects. */
export function objects(json: unknown, ...path: Path): Fields[] {
  return list(json, ...path).filter(isRecord);
}
