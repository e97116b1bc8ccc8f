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
    ask: async (asked, input, call) =>
      (await import('../../operations/index.js')).answer(resources, asked, input, call),
    async close() {
      handle.close();
      await models.close();
    },
  };
  return countsUses ? countingUses(service, folder) : service;
}
