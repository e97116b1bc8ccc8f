import { countUses } from '../../uses/log.js';
import type { Drawer, PalaceService } from '../contract/index.js';
import type { PalaceHandle } from '../palace/palace-handle.js';

/** Counts what is found and opened, in a file beside the palace. */
export function countingUses<Service extends PalaceService & { readonly handle: PalaceHandle }>(
  service: Service,
  folder: string,
): Service {
  const opened = ({ drawerId }: Drawer): void => countUses(folder, 'opened', [drawerId]);
  return {
    ...service,
    async ask(asked, input, call) {
      const document = await service.ask(asked, input, call);
      const { operationNamed } = await import('../../operations/index.js');
      const ids = (await operationNamed(asked.name)).opens?.(document) ?? [];
      if (ids.length > 0) countUses(folder, 'opened', ids);
      return document;
    },
    async find(input, call) {
      const found = await service.find(input, call);
      const ids = found.hits.map(({ drawer }) => drawer.drawerId);
      countUses(folder, 'found', ids);
      return found;
    },
    async show(input, call) {
      const shown = await service.show(input, call);
      if (shown.kind === 'drawer') opened(shown.drawer);
      else countUses(folder, 'opened', service.handle.get().reading.firstDrawerOf(shown.source.sourceKey));
      return shown;
    },
  };
}
