import type { z } from 'zod';

/** Exports and JSON documents use snake_case, the program camelCase. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type CamelCased<Row> = { [Name in keyof Row as CamelCase<Name & string>]: Row[Name] };

export function camelCased<Row extends object>(row: Row): CamelCased<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [camelCase(name), value]),
  ) as CamelCased<Row>;
}

/** A row with exactly the fields of its schema, in their order. */
export function snakeCased<Schema extends z.ZodObject>(
  { shape }: Schema,
  values: CamelCased<z.infer<Schema>>,
): z.infer<Schema> {
  const all = new Map(Object.entries(values));
  const row = Object.fromEntries(Object.keys(shape).map((name) => [name, all.get(camelCase(name))]));
  return row as z.infer<Schema>;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

export type SnakeNamed<Values> = { [Name in keyof Values as SnakeCase<Name & string>]: Values[Name] };

/** As `snakeCased`, with all properties. */
export function snakeNamed<Values extends object>(values: Values): SnakeNamed<Values> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  ) as SnakeNamed<Values>;
}
