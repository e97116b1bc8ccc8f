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
    const isHere =
      method === 'notifications/cancelled' && isRecord(params) && this.#open.has(params.requestId as Id);
    if (!isHere) return this.there.ask(message);
    void this.#own?.then((own) => own?.ask(message));
    return true;
  }

  async close(): Promise<void> {
    this.there.close();
    (await this.#own?.catch(() => undefined))?.close();
  }

  async #askHere(message: Message): Promise<void> {
    try {
      this.#own ??= this.#opened();
      const own = await this.#own;
      const id = requestId(message);
      if (own !== undefined && id !== undefined) this.#open.add(id);
      (own ?? this.there).ask(message);
    } catch (error) {
      this.options.onTrouble(error);
      this.#own = undefined;
      // Where it cannot be done here, the client waits for no answer.
      this.there.ask(message);
    }
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
