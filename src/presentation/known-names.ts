import { UserError } from '../core/errors.js';
import { line } from '../core/outside.js';
import { SOURCE_TYPES, typeName } from '../core/source-type.js';
import { suggest } from '../core/suggest.js';
import {
  callMethod,
  type Input,
  type Method,
  type Output,
  type PalaceService,
  type ServiceCall,
} from '../service/contract/index.js';

const NAMES_SHOWN = 10;

/** A message that a wing, a room or a type does not exist, with those that do. */
export function absent(what: string, name: string, known: readonly string[], where: string): string {
  if (known.length === 0) return `there is no ${what} ${where} yet`;
  const close = suggest(name, known) ?? known.find((other) => other.includes(name) || name.includes(other));
  const shown = known.slice(0, NAMES_SHOWN).map(line);
  const more = known.length > shown.length ? `, and ${known.length - shown.length} more` : '';
  const guess = close === undefined ? '' : `, did you mean ${line(close)}?`;
  return `there is no ${what} "${line(name)}" ${where}${guess || ';'} ${what}s: ${shown.join(', ')}${more}`;
}

/** What tells the names of a palace. @throws UserError `no-such-name` for a wing or a type that it does not know */
export async function requireNames(
  service: Pick<PalaceService, 'ask'>,
  { wing, type }: { wing?: string | undefined; type?: string | undefined },
  call: ServiceCall,
): Promise<void> {
  if (wing === undefined && type === undefined) return;
  const names = await service.ask({ name: 'list names', reads: true }, {}, call);
  const { wings, types } = names as { wings: string[]; types: string[] };
  requireKnown('wing', wing?.normalize('NFC'), wings);
  requireKnown('type', type && typeName(type), [...SOURCE_TYPES, ...types]);
}

/** @throws UserError `no-such-name` unless a wing of this name is known, or none is asked for */
export function requireWing(wing: string | undefined, rooms: readonly { wing: string }[]): void {
  requireKnown('wing', wing?.normalize('NFC'), [...new Set(rooms.map((room) => room.wing))]);
}

function requireKnown(what: 'wing' | 'type', name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  throw new UserError('no-such-name', absent(what, name, known, 'in this palace'));
}

/** Where a method names a wing as a filter, and when its answer leaves open whether that exists. */
interface Named<M extends Method> {
  wing(input: Input<M>): string | undefined;
  /** Absent for a change, which must not happen. */
  isEmpty?(answer: Output<M>): boolean;
}

type Filtered = { filter: { wing?: string | undefined } };
const filtered = ({ filter }: Filtered) => filter.wing;
const named = ({ wing }: { wing?: string | undefined }) => wing;

/** Methods whose wing is not listed here make it, or are asked by the programs themselves. */
const NAMED: { readonly [M in Method]?: Named<M> } = {
  find: { wing: filtered, isEmpty: ({ hits }) => hits.length === 0 },
  wakeUp: { wing: named, isEmpty: ({ holdings }) => holdings.length === 0 },
};

/** Methods that refuse names of wings and types which do not exist, instead of finding nothing. */
export function refusingInMethods<Service extends PalaceService>(service: Service): Service {
  const methods = Object.keys(NAMED) as (keyof typeof NAMED)[];
  const checking = methods.map((method) => [
    method,
    (input: Input<typeof method>, call: ServiceCall) => checked(method, service, input, call),
  ]);
  return { ...service, ...Object.fromEntries(checking) };
}

async function checked<M extends Method>(
  method: M,
  service: PalaceService,
  input: Input<M>,
  call: ServiceCall,
): Promise<Output<M>> {
  const { wing: wingOf, isEmpty }: Named<M> = NAMED[method] ?? { wing: () => undefined };
  const requireItsWing = () => requireNames(service, { wing: wingOf(input) }, call);
  if (isEmpty === undefined) await requireItsWing();
  const answer = (await callMethod(service, { name: method }, input, call)) as Output<M>;
  if (isEmpty?.(answer) === true) {
    await requireItsWing();
    requireType(input, answer);
  }
  return answer;
}

/** @param answer with the types that this palace declares, in addition to the built-in ones */
function requireType(input: object, answer: object): void {
  if (!('types' in answer) || !Array.isArray(answer.types)) return;
  if (!('filter' in input) || typeof input.filter !== 'object' || input.filter === null) return;
  if (!('type' in input.filter) || typeof input.filter.type !== 'string') return;
  requireKnown('type', typeName(input.filter.type), [...SOURCE_TYPES, ...answer.types]);
}
