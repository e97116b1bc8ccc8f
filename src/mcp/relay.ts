import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../core/json.js';
import { jsonText } from '../core/outside.js';
import { answerId, type Id, type Message, requestId } from './message.js';
import { OpenRequests } from './open-requests.js';
import { ENDING, LAST_WORDS_MS, type LineTransport } from './transport.js';

/** The tools behind a relay: those of a broker, or of this process. */
export interface Backend {
  /** Names of the tools that may change the palace: their calls are never repeated. */
  readonly writes: Pick<ReadonlySet<string>, 'has'>;
  /** Gets its messages; set by the relay before the first `ask`. */
  receive: (message: Message) => void;
  /** @returns false if it has ended, and did not get the message */
  ask(message: Message): boolean;
  /** Fulfilled when it ends. */
  readonly closed: Promise<void>;
  close(): unknown;
}

export interface RelayOptions {
  /** @returns undefined when no broker can be had */
  broker(): Promise<Backend | undefined>;
  /** The tools in this process, for a client without a broker. */
  own(): Promise<Backend>;
  /** What a client is told that begins without a broker. */
  notice?: () => string | undefined;
  /**
   * The broker that runs by now, for a client without one; it starts none. Absent: a client that has its own tools keeps
   * them.
   *
   * @returns undefined if none runs, `never` if it need not be asked again
   */
  rejoin?: (() => Promise<Backend | 'never' | undefined>) | undefined;
  /** A client without a broker looks for one after this time without a message, milliseconds, and again after each. */
  rejoinMs: number;
  /** Attempts to reach a broker again after it ended. Any answer of a broker resets their number. */
  respawns: number;
  /** Longest duration of a call, milliseconds. A backend that exceeds it by far has stopped, and is given up. */
  deadlineMs: number;
  /** Pause before the second attempt, milliseconds; each further pause is twice as long. */
  backoffMs: number;
  onTrouble: (error: unknown) => void;
}

const ALONE =
  'note: the broker of this palace has ended and could not be started again; this server now works by itself';

/**
 * Relays the messages of one client to a backend. When a broker ends, the relay finds another one for the client's next
 * message: it repeats `initialize`, the open reads, and what the old broker did not take. It never repeats a write that
 * may have been done.
 */
export class Relay {
  #backend: Backend | undefined;
  /** The backend only answers what it took. */
  #isEnding = false;
  readonly #open: OpenRequests;
  /** Messages that no backend has taken. */
  #waiting: Message[] = [];
  /** `initialize` and what followed it, repeated for a new backend. */
  #initialize: Message | undefined;
  #initialized: Message | undefined;
  #failures = 0;
  /** Ids of requests that the relay repeated; a client does not see their answers. */
  readonly #repeated = new Set<Id>();
  #dialling = false;
  readonly #ended = new AbortController();
  #failure: { error: unknown } | undefined;
  /** Written once, with the next result of a tool. */
  #note: string | undefined;
  #isAlone = false;
  /** Looks for a broker, while the tools of this process serve. */
  #rejoining: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: LineTransport,
    private readonly options: RelayOptions,
  ) {
    const giveUp = (): void => void this.#backend?.close();
    this.#open = new OpenRequests(options.deadlineMs + LAST_WORDS_MS, giveUp);
  }

  /**
   * Relays until the client's streams close, or the signal aborts.
   *
   * @throws the error of `own` when neither a broker nor the tools of this process can be had
   */
  async run(signal: AbortSignal): Promise<void> {
    const { client, options } = this;
    const broker = await options.broker();
    this.#attach(broker ?? (await options.own()));
    if (broker === undefined) {
      this.#note = options.notice?.();
      this.#rejoinLater();
    }
    client.onmessage = (message) => this.#toBackend(message as unknown as Message);
    await client.start();
    const stop = (): void => void client.close();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    await client.closed;
    signal.removeEventListener('abort', stop);
    this.#ended.abort();
    clearTimeout(this.#rejoining);
    this.#backend?.close();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #toBackend(message: Message): void {
    const { method, params } = message;
    this.#rejoining?.refresh();
    if (method === 'initialize') this.#initialize = message;
    else if (method === 'notifications/initialized') this.#initialized = message;
    else if (method === 'notifications/cancelled' && isRecord(params)) {
      this.#open.settle(params.requestId as Id);
      // What no backend has taken is not asked any more.
      const kept = this.#waiting.filter((each) => requestId(each) !== params.requestId);
      if (kept.length < this.#waiting.length) {
        this.#waiting = kept;
        return;
      }
    }
    const id = requestId(message);
    if (id !== undefined) this.#open.await(id, message);
    const isTaken = !this.#isEnding && this.#backend?.ask(message) === true;
    if (isTaken) return;
    this.#waiting.push(message);
    if (this.#backend === undefined) void this.#dial();
  }

  #toClient(message: Message): void {
    const id = answerId(message);
    if (id !== undefined) {
      // A backend that opens the session, and ends at the request that is asked again, has answered nothing.
      if (this.#repeated.delete(id)) return;
      this.#failures = 0;
      this.#open.settle(id);
    }
    void this.client.send(this.#noted(message) as unknown as JSONRPCMessage);
  }

  #noted(message: Message): Message {
    const { result } = message;
    if (this.#note === undefined || !isRecord(result) || !Array.isArray(result.content)) return message;
    const text = this.#note;
    this.#note = undefined;
    return { ...message, result: { ...result, content: [...result.content, { type: 'text', text }] } };
  }

  #attach(backend: Backend): void {
    this.#backend = backend;
    this.#isEnding = false;
    backend.receive = (message) => {
      if (this.#backend !== backend) return;
      if (message.method === ENDING) this.#keepUntaken(message.params);
      else this.#toClient(message);
    };
    void backend.closed.then(() => {
      if (this.#backend === backend) this.#lost(backend);
    });
  }

  /** What the backend will not answer waits for the next one. */
  #keepUntaken(params: unknown): void {
    const taken = isRecord(params) && Array.isArray(params.taken) ? params.taken : [];
    this.#isEnding = true;
    for (const [id, message] of this.#open.entries()) if (!taken.includes(id)) this.#waiting.push(message);
  }

  #lost({ writes }: Backend): void {
    if (this.#ended.signal.aborted) return;
    this.#backend = undefined;
    for (const [id, message] of this.#open.entries()) {
      const { method, params } = message;
      const isWrite = method === 'tools/call' && isRecord(params) && writes.has(String(params.name));
      if (!isWrite || this.#waiting.includes(message)) continue;
      this.#open.settle(id);
      void this.client.send({ jsonrpc: '2.0', id, result: INTERRUPTED_WRITE });
    }
    // Without an open request, the next message of the client is early enough.
    if (this.#open.size > 0) void this.#dial();
  }

  /** Finds a new backend, and repeats what it must know. */
  async #dial(): Promise<void> {
    if (this.#dialling) return;
    this.#dialling = true;
    try {
      const backend = await this.#next();
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#attach(backend);
      const asked = this.#open.messages().filter((each) => !waiting.includes(each));
      const greeting = this.#greeting();
      for (const message of new Set([...greeting, ...asked, ...waiting])) {
        const id = requestId(message);
        // Its time begins again.
        if (id !== undefined && this.#open.has(id)) this.#open.await(id, message);
        if (!backend.ask(message) && !greeting.includes(message)) this.#waiting.push(message);
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#failure = { error };
      void this.client.close();
    } finally {
      this.#dialling = false;
    }
  }

  /** What opens the session again. Its answer is not for the client, unless that still waits for it. */
  #greeting(): Message[] {
    const first = this.#initialize;
    if (first === undefined) return [];
    const isOpen = this.#open.messages().includes(first);
    const id = `mempalace-mcp:${randomUUID()}`;
    if (!isOpen) this.#repeated.add(id);
    const again = isOpen ? first : { ...first, id };
    return this.#initialized === undefined ? [again] : [again, this.#initialized];
  }

  async #next(): Promise<Backend> {
    const { respawns, backoffMs } = this.options;
    while (this.#failures < respawns) {
      const pauseMs = this.#failures === 0 ? 0 : backoffMs * 2 ** (this.#failures - 1);
      await sleep(pauseMs, undefined, { signal: this.#ended.signal });
      this.#failures += 1;
      const backend = await this.options.broker();
      if (backend !== undefined) return backend;
    }
    // Tools of this process that ended may end again.
    if (this.#isAlone) await sleep(backoffMs, undefined, { signal: this.#ended.signal });
    const own = await this.options.own();
    this.#isAlone = true;
    this.options.onTrouble(ALONE);
    this.#note = ALONE;
    this.#rejoinLater();
    return own;
  }

  /** Messages of the client postpone it. */
  #rejoinLater(): void {
    if (this.options.rejoin === undefined || this.#ended.signal.aborted) return;
    clearTimeout(this.#rejoining);
    this.#rejoining = setTimeout(() => void this.#rejoin(), this.options.rejoinMs).unref();
  }

  /** Goes on with a broker that runs by now. The client notices nothing: it has no open request. */
  async #rejoin(): Promise<void> {
    this.#rejoining = undefined;
    const former = this.#backend;
    const isBusy = () => this.#open.size > 0 || this.#waiting.length > 0 || this.#dialling;
    let found: Backend | 'never' | undefined;
    try {
      found = isBusy() || former === undefined ? undefined : await this.options.rejoin?.();
    } catch (error) {
      this.options.onTrouble(error);
    }
    if (found === 'never') return;
    if (found === undefined || isBusy() || this.#backend !== former || this.#ended.signal.aborted) {
      found?.close();
      return this.#rejoinLater();
    }
    this.#attach(found);
    this.#isAlone = false;
    this.#failures = 0;
    for (const message of this.#greeting()) found.ask(message);
    former?.close();
  }
}

const interrupted = {
  error: 'the broker of the palace ended during this call: the change may have been made, or not',
  code: 'interrupted',
  hint: 'look whether it was made before you repeat it',
};
const INTERRUPTED_WRITE = { content: [{ type: 'text', text: jsonText(interrupted) }], isError: true };
