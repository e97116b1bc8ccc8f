import { join } from 'node:path';
import { LogFile } from '../platform/log-file.js';

/** A call that changed the palace, or attempted to. */
export interface Written {
  agent: string;
  /** Name and version as the client states them. */
  client: string;
  tool: string;
  ok: boolean;
  /** Duration in milliseconds. */
  ms: number;
  /** Places and ids; never content. */
  what: Record<string, unknown>;
}

/** In the palace's folder. Two older files (`.1`, `.2`) are kept, one megabyte each. */
export const WRITE_LOG = 'write-log.jsonl';

/** A log of changes by servers, one line of JSON each. An error of the log does not stop a call. */
export class WriteLog {
  readonly #file: LogFile;
  readonly #onTrouble: (error: unknown) => void;

  constructor(folder: string, onTrouble: (error: unknown) => void) {
    this.#file = new LogFile(join(folder, WRITE_LOG));
    this.#onTrouble = onTrouble;
  }

  write({ what, ...call }: Written): void {
    try {
      this.#file.append(
        JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...call, ...what }),
      );
    } catch (error) {
      this.#onTrouble(error);
    }
  }

  close(): void {
    this.#file.close();
  }
}
