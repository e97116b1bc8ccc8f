import { UserError } from '../core/errors.js';
import { line } from '../core/outside.js';
import { SOURCE_TYPES, typeName } from '../core/source-type.js';
import { suggest } from '../core/suggest.js';
import type { PalaceService, ServiceCall } from '../service/contract/index.js';

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
async function requireNames(
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

/**
 * A palace that refuses names of wings and types which do not exist, instead of finding nothing. Not for a client that is
 * confined to a wing, since the error names others.
 */
export function refusingUnknownNames<Service extends PalaceService>(service: Service): Service {
  const ask: PalaceService['ask'] = async (asked, input, call) => {
    const document = await service.ask(asked, input, call);
    const { wing, type } = input as { wing?: string; type?: string };
    if (wing === undefined && type === undefined) return document;
    const { operationNamed } = await import('./index.js');
    const { isEmpty } = await operationNamed(asked.name);
    if (isEmpty?.(document) === true) await requireNames(service, { wing, type }, call);
    return document;
  };
  return { ...service, ask };
}
