import type { ForgetRequest } from '../../core/forgotten.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { Palace, RunStart } from '../../store/index.js';
import type { Answer, ServiceCall } from '../contract/index.js';
import type { Filed, Filing } from '../contract/receiving.js';
import type { Models } from './models.js';
import type { PalaceHandle } from './palace-handle.js';

/** How a program writes into the palace. */
export interface Writer {
  /** As configured; everything that is filed passes it. Without `redact` it changes nothing. */
  sanitiser(redact?: boolean): Promise<Sanitiser>;
  /** Opens the palace for one short write without the run lock, and creates it if there is none. */
  write<T>(through: string, work: (palace: Palace, run: RunStart) => Promise<T>): Promise<T>;
  /**
   * Clears what writes removed from vectors, free pages and the WAL.
   *
   * @returns false when a running run will do it, or a reader keeps the WAL
   */
  clearTraces(signal: AbortSignal): Promise<boolean>;
  /**
   * Forgets what a preview showed, under the run lock: in the palace, its kept backups, and the staged files of this machine.
   *
   * @throws UserError `changed` when something else would be erased now; `locked`
   */
  forget(asked: ForgetRequest, call: ServiceCall): Promise<Answer>;
  /**
   * Files what another machine has sent, as a run of its own.
   *
   * @param folder of the upload
   * @throws UserError `locked`
   */
  fileReceived(folder: string, asked: Filing, call: ServiceCall): Promise<Filed>;
}

/** What the methods of a service share. */
export interface Resources {
  handle: PalaceHandle;
  models: Models;
  /** Absent in a service that only reads. */
  writer: Writer | undefined;
}
