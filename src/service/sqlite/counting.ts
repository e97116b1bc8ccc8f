import { countUses } from '../../uses/log.js';
import type { PalaceService } from '../contract/index.js';
import type { PalaceHandle } from '../palace/palace-handle.js';

/** Counts what is found and opened, in a file beside the palace. */
export function countingUses<Service extends PalaceService & { readonly handle: PalaceHandle }>(
  service: Service,
  folder: string,
): Service {
  return {
    ...service,
    async ask(asked, input, call) {
      const document = await service.ask(asked, input, call);
      const { operationNamed } = await import('../../operations/index.js');
      const { opens, finds } = await operationNamed(asked.name);
      const [opened, found] = [opens?.(document) ?? [], finds?.(document) ?? []];
      if (opened.length > 0) countUses(folder, 'opened', opened);
      if (found.length > 0) countUses(folder, 'found', found);
      return document;
    },
  };
}
