import { type Field, fieldsOf } from '../../src/adapters/fields.js';
import { OPERATIONS } from '../../src/operations/all.js';
import type { AnyOperation } from '../../src/operations/operation.js';

type Input = Readonly<Record<string, unknown>>;

export const READING: readonly (readonly [document: string, operation: AnyOperation])[] =
  Object.entries<AnyOperation>(OPERATIONS).filter(
    ([, { reads, summary }]) => reads === true && summary !== undefined,
  );

/** What the machine of `filledMachine` is asked: by a command, an address and a tool. Others take nothing. */
export const exampleOf = (document: string, drawer: string): Input => EXAMPLES(drawer)[document] ?? {};

const EXAMPLES = (drawer: string): Record<string, Input> => ({
  search: { query: 'cookie', limit: 3, links: true },
  file: { file: 'auth/session.ts' },
  timeline: { id: drawer, radius: 1 },
  related: { name: 'ses_0000000001login' },
  wakeUp: { tokens: 500, everywhere: true },
  // Without a limit, the address answers all days.
  listDays: { limit: 2 },
  listSources: { limit: 2, offset: 1 },
  listWork: { since: '2020-01-01', limit: 2 },
  diaryRead: { agent: 'ada' },
  kgQuery: { entity: 'shop', as_of: '2026-03-15' },
  kgTimeline: { as_of: '2026-03-15' },
  checkpointShow: { name: 'ses_0000000003ports' },
  collectionShow: { name: 'signing in' },
  collectionQuery: { name: 'signing in', query: 'cookie' },
});

const given = (operation: AnyOperation, input: Input): [field: Field, value: unknown][] =>
  fieldsOf(operation).flatMap((field) => (field.name in input ? [[field, input[field.name]]] : []));

/** The words of a command. */
export function argsOf(operation: AnyOperation, input: Input): string[] {
  const words = operation.name.split(' ');
  const options: string[] = [];
  for (const [{ name, cli = `--${name.replaceAll('_', '-')}` }, value] of given(operation, input)) {
    const [flag = ''] = (cli ?? '').split(' ');
    if (/^[<[]/.test(flag)) words.push(...[value].flat().map(String));
    else options.push(flag, ...(value === true ? [] : [String(value)]));
  }
  return [...words, ...options];
}

/** The query of an address. */
export const queryOf = (operation: AnyOperation, input: Input): string =>
  new URLSearchParams(
    given(operation, input).map(([{ address, name }, value]): [string, string] => [
      address ?? name,
      String(value),
    ]),
  ).toString();

/** The arguments of a tool. */
export const argumentsOf = (operation: AnyOperation, input: Input): Record<string, unknown> =>
  Object.fromEntries(
    given(operation, input).flatMap(([{ tool, name }, value]) =>
      tool === null ? [] : [[typeof tool === 'string' ? tool : name, value]],
    ),
  );
