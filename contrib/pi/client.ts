import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Connection, Ended, type ListedTool } from './connection.ts';
import type { Settings } from './settings.ts';

type Limits = Pick<
  Settings,
  'agent' | 'server' | 'timeoutMs' | 'initTimeoutMs' | 'maxRespawns' | 'backoffMs'
>;

/**
 * A client of `mempalace-mcp` for releases of pi that have none. A server that ended is started again at the next call,
 * a bounded number of times: any answer renews the number.
 */
export class Client {
  readonly #limits: Limits;
  readonly #cwd: string;
  readonly #debug: (line: string) => void;
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  #starts = 0;
  #respawns = 0;
  #endedAt = 0;
  #closed = false;

  constructor(limits: Limits, cwd: string, debug: (line: string) => void) {
    this.#limits = limits;
    this.#cwd = cwd;
    this.#debug = debug;
  }

  /** Starts the server. @returns its tools and what it says about itself */
  async start(): Promise<{ tools: readonly ListedTool[]; instructions: string }> {
    const { tools, instructions } = await this.#connected(undefined);
    return { tools, instructions };
  }

  /**
   * @param signal ends the call at once
   * @throws Error when there is no answer; an error of the tool is an answer
   */
  async call(name: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const connection = await this.#connected(signal);
      const { timeoutMs } = this.#limits;
      try {
        return await connection.request('tools/call', { name, arguments: args }, { timeoutMs, signal });
      } catch (error) {
        if (!(error instanceof Ended)) throw error;
        const reads = connection.tools.some(
          (tool) => tool.name === name && tool.annotations?.readOnlyHint === true,
        );
        if (!reads)
          throw new Error(`${error.message}; ${name} may have been done: look before you repeat it`);
        if (tries > 1) throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.end();
  }

  async #connected(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#connection?.open === true) return this.#connection;
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = undefined;
    });
    return signal === undefined ? this.#starting : unlessAborted(this.#starting, signal);
  }

  async #begin(): Promise<Connection> {
    const { maxRespawns, backoffMs, initTimeoutMs } = this.#limits;
    for (let reason = 'it ended'; ; ) {
      if (this.#starts > 0) {
        if (this.#respawns >= maxRespawns)
          throw new Error(
            `mempalace-mcp does not run: ${reason}. mempalace doctor tells more; /reload tries again`,
          );
        const wait = this.#endedAt + backoffMs * 2 ** this.#respawns - Date.now();
        if (wait > 0) await sleep(wait);
        this.#respawns += 1;
      }
      if (this.#closed) throw new Error('the session has ended');
      this.#starts += 1;
      const connection = new Connection(this.#limits, this.#cwd, {
        debug: this.#debug,
        answered: () => {
          this.#respawns = 0;
        },
        ended: () => {
          this.#endedAt = Date.now();
        },
      });
      this.#connection = connection;
      try {
        await connection.initialize(initTimeoutMs);
        return connection;
      } catch (error) {
        connection.kill();
        reason = error instanceof Error ? error.message : String(error);
        this.#debug(`start ${this.#starts} of mempalace-mcp failed: ${reason}`);
      }
    }
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('cancelled'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
