import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isRecord } from '../core/json.js';
import { Lines } from '../platform/lines.js';
import { type Id, idOf, tidyMessage } from './message.js';

/** A longer line is refused; the largest text that a tool accepts is far smaller. */
export const MOST_BYTES = 10 * 1024 * 1024;
/** Open requests, and bytes of unread answers. A client with more of them has to wait. */
const MOST_PENDING = 256;
const MOST_UNREAD = 4 * 1024 * 1024;
/** A call ends at its deadline. Its answer is written within this time, also on a busy machine. */
export const LAST_WORDS_MS = 10_000;

/**
 * What a broker that ends tells its clients: it answers the calls with the ids in `params.taken`, and reads no further
 * message. A method of this toolkit: a relay does not pass it on, and other clients ignore it as the protocol requires.
 */
export const ENDING = 'notifications/mempalace/ending';

/**
 * The protocol over stdin and stdout, one message per line. Unlike the SDK's transport it answers malformed input with an
 * error, and answers all received messages after stdin ends: `printf … | mempalace-mcp` works.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Whether the SDK handles a message; it would ignore another silently. */
  isKnown: (message: Record<string, unknown>) => boolean = () => true;
  readonly #greeted = new Set<Id>();
  #answer: (message: Record<string, unknown>) => object | undefined = () => undefined;
  readonly #pending = new Set<Id>();
  /** Messages that came before `start`. */
  #waiting: Record<string, unknown>[] = [];
  #started = false;
  #ended = false;
  #closed = false;
  #giveUp: NodeJS.Timeout | undefined;
  #settleOpened: () => void = () => {};
  #settleNeeded: () => void = () => {};
  #settleClosed: () => void = () => {};
  /** Fulfilled after the first message or the end of input. */
  readonly opened = new Promise<void>((resolve) => {
    this.#settleOpened = resolve;
  });
  /** Fulfilled when a request waits for `start`, or no further one comes. */
  readonly needed = new Promise<void>((resolve) => {
    this.#settleNeeded = resolve;
  });
  readonly closed = new Promise<void>((resolve) => {
    this.#settleClosed = resolve;
  });
  readonly #lines = new Lines(MOST_BYTES, (text) => this.#line(text));

  /** @param greet answers a message before `start`; the SDK's later answer is dropped */
  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly greet: (message: Record<string, unknown>) => object | undefined,
    private readonly deadlineMs: number,
  ) {}

  /** Begins to read; messages wait for `start`. */
  listen(): void {
    this.output.on('error', () => void this.close());
    this.output.on('drain', this.#pace);
    this.input.on('data', this.#take);
    this.input.on('error', (error) => this.onerror?.(error));
    this.input.on('end', () => this.#end());
    this.input.on('close', () => this.#end());
  }

  /**
   * Answers messages that wait for `start`, and those that come until then. They are not delivered. A session that did not
   * begin with `initialize` has to wait.
   */
  answerWaiting(answer: (message: Record<string, unknown>) => object | undefined): void {
    this.#answer = answer;
    this.#waiting = this.#waiting.filter((message) => !this.#answered(message));
  }

  #answered(message: Record<string, unknown>): boolean {
    const answer = this.#started || this.#greeted.size === 0 ? undefined : this.#answer(message);
    if (answer === undefined) return false;
    this.#write(answer);
    this.#settle(message.id as Id);
    return true;
  }

  /** Delivers the waiting messages; called by the SDK. */
  async start(): Promise<void> {
    this.#started = true;
    for (const message of this.#waiting.splice(0)) this.#deliver(message);
    // Calls begin only now: their time starts again.
    if (this.#ended && !this.#closed) this.#waitForAnswers();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = 'id' in message && !('method' in message) ? message.id : undefined;
    if (id !== undefined && this.#greeted.delete(id)) return;
    this.#write(message);
    if (id !== undefined) this.#settle(id);
  }

  #write(message: object): void {
    if (this.#closed || !this.output.writable) return;
    this.output.write(`${JSON.stringify(message)}\n`);
    this.#pace();
  }

  /** Reads no more while the client has too many open requests, or unread answers. */
  readonly #pace = (): void => {
    if (this.#ended || this.#closed) return;
    const isFull = this.#pending.size > MOST_PENDING || this.output.writableLength > MOST_UNREAD;
    if (isFull && !this.input.isPaused()) this.input.pause();
    else if (!isFull && this.input.isPaused()) this.input.resume();
  };

  /** Answers every open request with an error, and closes: the server cannot serve. */
  async refuse(reason: string): Promise<void> {
    for (const id of this.#pending) this.#refuse(-32603, reason, id);
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#settleOpened();
    this.#settleNeeded();
    this.input.off('data', this.#take);
    this.input.pause();
    clearTimeout(this.#giveUp);
    this.onclose?.();
    this.#settleClosed();
  }

  /** Reads no more, says so, and closes after the last answer. */
  finish(): void {
    if (this.#ended || this.#closed) return;
    this.input.off('data', this.#take);
    // What still comes is dropped: unread, it would end the connection before its last answers are received.
    this.input.resume();
    this.#write({ jsonrpc: '2.0', method: ENDING, params: { taken: [...this.#pending] } });
    this.#stop();
  }

  #end(): void {
    if (this.#ended || this.#closed) return;
    this.#lines.end();
    this.#stop();
  }

  #stop(): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    this.#settleOpened();
    this.#settleNeeded();
    if (this.#pending.size === 0) void this.close();
    else this.#waitForAnswers();
  }

  /** The timer keeps the process alive; the model's thread does not. */
  #waitForAnswers(): void {
    clearTimeout(this.#giveUp);
    this.#giveUp = setTimeout(() => void this.close(), this.deadlineMs + LAST_WORDS_MS);
  }

  readonly #take = (chunk: Buffer): void => this.#lines.take(chunk);

  readonly #line = (text: string | undefined): void => {
    this.#settleOpened();
    if (text === undefined) this.#refuse(-32600, `a message may not be longer than ${MOST_BYTES} bytes`);
    else this.#message(text);
  };

  #message(text: string): void {
    let message: unknown;
    try {
      message = tidyMessage(JSON.parse(text));
    } catch {
      this.#refuse(-32700, 'Parse error: a message is one line of JSON');
      return;
    }
    const id = idOf(message);
    if (!isRecord(message) || message.jsonrpc !== '2.0') {
      this.#refuse(-32600, 'Invalid request: not a JSON-RPC 2.0 message', id);
      return;
    }
    const greeting = this.#started ? undefined : this.greet(message);
    if (greeting !== undefined && id !== undefined) {
      this.#write(greeting);
      this.#greeted.add(id);
    } else if (this.#answered(message)) return;
    else if ('method' in message && id !== undefined) {
      this.#pending.add(id);
      this.#settleNeeded();
    }
    this.#pace();
    if (this.#started) this.#deliver(message);
    else this.#waiting.push(message);
  }

  #deliver(message: Record<string, unknown>): void {
    const id = idOf(message);
    if (!this.isKnown(message)) {
      this.#refuse(-32600, 'Invalid request: not as the protocol has it', id);
      if (id !== undefined) this.#settle(id);
      return;
    }
    const { method, params } = message;
    this.onmessage?.(message as unknown as JSONRPCMessage);
    if (method === 'notifications/cancelled' && isRecord(params)) this.#settle(params.requestId as Id);
  }

  #settle(id: Id): void {
    this.#pending.delete(id);
    this.#pace();
    if (this.#ended && this.#pending.size === 0) void this.close();
  }

  #refuse(code: number, message: string, id: Id | null = null): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }
}
