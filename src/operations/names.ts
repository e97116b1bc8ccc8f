import { requireNames } from '../presentation/known-names.js';
import type { PalaceService } from '../service/contract/index.js';

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
