/** Rows of exports and JSON documents name their fields in snake_case, the program in camelCase. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type CamelCased<Row> = { [Name in keyof Row as CamelCase<Name & string>]: Row[Name] };

/** The fields of a row under their names in the program. */
export function camelCased<Row extends object>(row: Row): CamelCased<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [camelCase(name), value]),
  ) as CamelCased<Row>;
}

/**
 * A row of these fields, in their order, from what the program calls by its own names; other properties are left out.
 *
 * @param fields the row's, such as the `shape` of its schema
 */
export function snakeCased<Row extends object>(
  fields: { [Name in keyof Row]: unknown },
  values: CamelCased<Row>,
): Row {
  const all = new Map(Object.entries(values));
  return Object.fromEntries(Object.keys(fields).map((name) => [name, all.get(camelCase(name))])) as Row;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** What a JSON document says by its own names, from what the program calls by its names. */
export function snakeNamed(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
