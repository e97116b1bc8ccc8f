import { isRecord } from './json.js';

/**
 * Shapes of JSON, for readers on the path of a hook: loading a schema library would take longer than the rest of the hook.
 * The names are those of zod, which everything else uses.
 */
export type Shape<T> = (value: unknown) => T | typeof OTHER;
export type Shaped<S> = S extends (value: unknown) => infer T ? Exclude<T, typeof OTHER> : never;

const OTHER: unique symbol = Symbol('another shape');

/** The value in its shape; undefined if it has another. */
export function shaped<T>(shape: Shape<T>, value: unknown): T | undefined {
  const read = shape(value);
  return read === OTHER ? undefined : read;
}

export const string: Shape<string> = (value) => (typeof value === 'string' ? value : OTHER);
export const number: Shape<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : OTHER;
export const boolean: Shape<boolean> = (value) => (typeof value === 'boolean' ? value : OTHER);
export const record: Shape<Record<string, unknown>> = (value) => (isRecord(value) ? value : OTHER);

export const literal =
  <const T extends string | null>(...allowed: readonly T[]): Shape<T> =>
  (value) =>
    allowed.some((each) => each === value) ? (value as T) : OTHER;

/** A value of another shape counts as the fallback. */
export const orElse =
  <T, F>(shape: Shape<T>, fallback: F): Shape<T | F> =>
  (value) => {
    const read = shape(value);
    return read === OTHER ? fallback : read;
  };

/** A value of another shape counts as missing. */
export const maybe = <T>(shape: Shape<T>): Shape<T | undefined> => orElse(shape, undefined);

export const array =
  <T>(shape: Shape<T>): Shape<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return OTHER;
    const items: T[] = [];
    for (const each of value) {
      const item = shape(each);
      if (item === OTHER) return OTHER;
      items.push(item);
    }
    return items;
  };

/** The first of these shapes that the value has. */
export function union<const S extends readonly Shape<unknown>[]>(...shapes: S): Shape<Shaped<S[number]>> {
  return (value) => {
    for (const shape of shapes) {
      const read = shape(value);
      if (read !== OTHER) return read as Shaped<S[number]>;
    }
    return OTHER;
  };
}

type Fields = Record<string, Shape<unknown>>;
/** A field that may be undefined may be missing. */
type MayLack<F extends Fields> = {
  [Name in keyof F]: undefined extends Shaped<F[Name]> ? Name : never;
}[keyof F];
type Found<F extends Fields> = { [Name in Exclude<keyof F, MayLack<F>>]: Shaped<F[Name]> } & {
  [Name in MayLack<F>]?: Shaped<F[Name]>;
};

/** An object with these fields, without the others. */
export function object<F extends Fields>(fields: F): Shape<Found<F>> {
  const shapes = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return OTHER;
    const found: Record<string, unknown> = {};
    for (const [field, shape] of shapes) {
      const read = shape(value[field]);
      if (read === OTHER) return OTHER;
      // Most fields of a record are missing, and storing each of them would take most of the time.
      if (read !== undefined) found[field] = read;
    }
    return found as Found<F>;
  };
}
