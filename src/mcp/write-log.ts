import { join } from 'node:path';
import { LogFile } from '../platform/log-file.js';
import type { Host } from './tool.js';

/** In the palace's folder. Two older files (`.1`, `.2`) are kept, one megabyte each. */
export const WRITE_LOG = 'write-log.jsonl';

/** A log of changes by servers, one line of JSON each. An error of the log does not stop a call. */
export class WriteLog {
  readonly #file: LogFile;

  constructor(
    folder: string,
    private readonly onTrouble: (error: unknown) => void,
  ) {
    this.#file = new LogFile(join(folder, WRITE_LOG));
  }

  write(call: Record<string, unknown>): void {
    try {
      const entry = { time: new Date().toISOString(), pid: process.pid, ...call };
      this.#file.append(JSON.stringify(entry));
    } catch (error) {
      this.onTrouble(error);
    }
  }

  close(): void {
    this.#file.close();
  }
}

/** Paths and names of files may contain a secret. */
export async function withoutSecrets(
  entry: Record<string, unknown>,
  host: Pick<Host, 'sanitiser'>,
): Promise<Record<string, unknown>> {
  const { value } = await (await host.sanitiser()).cleanValue(entry);
  return value as Record<string, unknown>;
}
