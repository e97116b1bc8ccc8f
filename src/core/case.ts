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

/**
 * A row with exactly these fields, in their order.
 *
 * @param fields for example the `shape` of the row's schema
 */
export function snakeCased<Row extends object>(
  fields: { [Name in keyof Row]: unknown },
  values: CamelCased<Row>,
): Row {
  const all = new Map(Object.entries(values));
  return Object.fromEntries(Object.keys(fields).map((name) => [name, all.get(camelCase(name))])) as Row;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** As `snakeCased`, with all properties. */
export function snakeNamed(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
