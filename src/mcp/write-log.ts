import { join } from 'node:path';
import { LogFile } from '../platform/log-file.js';

/** A call that changed the palace, or tried to. */
export interface Written {
  agent: string;
  /** Name and version that the client gave of itself. */
  client: string;
  tool: string;
  ok: boolean;
  /** What it took, in milliseconds. */
  ms: number;
  /** Places and ids; never content. */
  what: Record<string, unknown>;
}

/** In the palace's folder; two older ones (`.1`, `.2`) are kept, of a megabyte each. */
export const WRITE_LOG = 'write-log.jsonl';

/** Who changed the palace through a server, when, and where: a line of JSON each. A log that cannot be written stops nobody. */
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
