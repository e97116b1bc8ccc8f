import { fileURLToPath } from 'node:url';

/** Time that a client has to name its folders, milliseconds. */
const PATIENCE_MS = 2_000;

/** The part of the SDK's server that asks a client for its folders. */
interface Asking {
  getClientCapabilities(): { roots?: object | undefined } | undefined;
  listRoots(params?: undefined, options?: { timeout?: number }): Promise<{ roots: { uri: string }[] }>;
}

/**
 * The folders that a client works in (`roots/list`), asked for when they are first needed. A client that names none, or
 * does not answer, works in the folder that it started the server in. So does every client of a revision in which servers
 * send no requests.
 */
export class Roots {
  #asked: Promise<readonly string[]> | undefined;

  constructor(private readonly client: Asking) {}

  /** To be called when the client's folders have changed. */
  forget(): void {
    this.#asked = undefined;
  }

  /** Absolute paths; empty where the client names none. Never rejects. */
  folders(): Promise<readonly string[]> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  async #ask(): Promise<readonly string[]> {
    if (this.client.getClientCapabilities()?.roots === undefined) return [];
    try {
      const { roots } = await this.client.listRoots(undefined, { timeout: PATIENCE_MS });
      return roots.flatMap(({ uri }) => pathOf(uri) ?? []);
    } catch {
      return [];
    }
  }
}

/** Undefined for a URI that names no path of this machine, such as one with a host. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
