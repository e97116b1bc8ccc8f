import type { PalaceService } from '../contract/index.js';
import type { Models } from '../palace/models.js';
import { PalaceHandle } from '../palace/palace-handle.js';
import type { Writer } from '../palace/resources.js';
import { countingUses } from './counting.js';

export interface SqliteServiceOptions {
  /** Folder of the palace, absolute. */
  folder: string;
  /** Refuses a palace of an earlier version, since opening it would upgrade it. */
  readOnly?: boolean;
  models: Models;
  /** Counts what is found and opened, in a file beside the palace. */
  countsUses?: boolean | undefined;
  /** Absent in a service that only reads. */
  writer?: Writer | undefined;
}

/** The palace in a folder of this machine. */
export interface SqliteService extends PalaceService {
  readonly handle: PalaceHandle;
  close(): Promise<void>;
}

/** Opens the palace at the first call. What a call needs is loaded with it. */
export function sqliteService({
  folder,
  readOnly,
  models,
  countsUses = false,
  writer,
}: SqliteServiceOptions): SqliteService {
  const handle = new PalaceHandle(folder, readOnly);
  const resources = { handle, models, writer };
  const service: SqliteService = {
    handle,
    show: async (input) => (await import('./reading.js')).show(handle.get(), input),
    text: async (input) => (await import('./reading.js')).text(handle.get(), input),
    wakeUp: async ({ before, ...input }) => (await import('./waking.js')).wakeUp(handle.get(), input, before),
    async drift() {
      const found = handle.get().drift();
      return { warnings: found === undefined ? [] : [found] };
    },
    async readiness(_, { signal }) {
      const { embedder, trouble } = await models.forQuestion(handle.get().model, { patient: false, signal });
      return { loaded: embedder !== undefined, reason: trouble?.text };
    },
    pulse: async () => (await import('./listing.js')).pulse(handle.get()),
    embed: async (input, call) => (await import('./lending.js')).embed(resources, input, call),
    filedSources: async (input) => (await import('./receiving.js')).filedSources(handle.ifAny(), input),
    announceSources: async (input) => (await import('./receiving.js')).announceSources(resources, input),
    receiveText: async (input) => (await import('./receiving.js')).receiveText(resources, input),
    fileReceived: async (input, call) =>
      (await import('./receiving.js')).fileReceived(resources, input, call),
    async reopen(_, { signal }) {
      handle.close();
      const palace = handle.get();
      await models.forQuestion(palace.model, { patient: false, signal });
      return { drawers: palace.drawerCount() };
    },
    ask: async (asked, input, call) =>
      (await import('../../operations/index.js')).answer({ ...resources, service }, asked, input, call),
    async close() {
      handle.close();
      await models.close();
    },
  };
  return countsUses ? countingUses(service, folder) : service;
}
