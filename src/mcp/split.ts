import { randomUUID } from 'node:crypto';
import { isRecord } from '../core/json.js';
import { answerId, type Id, type Message, requestId } from './message.js';
import type { Backend } from './relay.js';

export interface SplitOptions {
  /** Names of the tools whose calls are done on this machine. */
  here: ReadonlySet<string>;
  /** The tools of this process. @returns undefined if it does not offer them to this client */
  open(): Promise<Backend | undefined>;
  onTrouble: (error: unknown) => void;
}

/** The tools of a palace elsewhere, except for those that read the folders of this machine. */
export class Split implements Backend {
  receive: (message: Message) => void = () => {};
  readonly writes: Backend['writes'];
  readonly closed: Promise<void>;
  #own: Promise<Backend | undefined> | undefined;
  #greeting: Message[] = [];
  /** Calls for the tools of this process, which are being loaded. */
  readonly #waiting = new Set<Id | undefined>();
  /** Calls that are done here. */
  readonly #open = new Set<Id>();

  constructor(
    private readonly there: Backend,
    private readonly options: SplitOptions,
  ) {
    this.writes = there.writes;
    this.closed = there.closed;
    there.receive = (message) => this.receive(message);
  }

  ask(message: Message): boolean {
    const { method, params } = message;
    if (method === 'initialize' || method === 'notifications/initialized') this.#greeting.push(message);
    if (method === 'tools/call' && isRecord(params) && this.options.here.has(String(params.name))) {
      void this.#askHere(message);
      return true;
    }
    const cancelled =
      method === 'notifications/cancelled' && isRecord(params) ? (params.requestId as Id) : undefined;
    if (cancelled !== undefined && this.#waiting.delete(cancelled)) return true;
    if (cancelled === undefined || !this.#open.has(cancelled)) return this.there.ask(message);
    void this.#own?.then((own) => own?.ask(message));
    return true;
  }

  async close(): Promise<void> {
    this.there.close();
    (await this.#own?.catch(() => undefined))?.close();
  }

  async #askHere(message: Message): Promise<void> {
    const id = requestId(message);
    this.#waiting.add(id);
    this.#own ??= this.#opened();
    const own = await this.#own.catch((error: unknown) => {
      this.options.onTrouble(error);
      this.#own = undefined;
      return undefined;
    });
    if (!this.#waiting.delete(id)) return;
    if (own !== undefined && id !== undefined) this.#open.add(id);
    // Where it cannot be done here, the other machine answers.
    (own ?? this.there).ask(message);
  }

  async #opened(): Promise<Backend | undefined> {
    const own = await this.options.open();
    if (own === undefined) return undefined;
    const greeted = randomUUID();
    own.receive = (message) => {
      const id = answerId(message);
      if (id === greeted) return;
      if (id !== undefined) this.#open.delete(id);
      this.receive(message);
    };
    for (const message of this.#greeting)
      own.ask(message.method === 'initialize' ? { ...message, id: greeted } : message);
    return own;
  }
}
