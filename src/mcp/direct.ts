import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../core/json.js';
import type { Message } from './message.js';
import type { Backend } from './relay.js';
import type { CheckedTransport } from './server.js';

/** Connects a relay with tools in the same process. */
export class Direct implements CheckedTransport, Backend {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  isKnown: (message: Record<string, unknown>) => boolean = () => true;
  receive: (message: Message) => void = () => {};
  readonly #waiting: Message[] = [];
  #started = false;
  #settle: () => void = () => {};
  readonly closed = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(readonly writes: ReadonlySet<string>) {}

  /** Called by the SDK. */
  async start(): Promise<void> {
    this.#started = true;
    for (const message of this.#waiting.splice(0)) this.#deliver(message);
  }

  ask(message: Message): boolean {
    if (this.#started) this.#deliver(message);
    else this.#waiting.push(message);
    return true;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isRecord(message)) this.receive(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
    this.#settle();
  }

  #deliver(message: Message): void {
    if (this.isKnown(message)) {
      this.onmessage?.(message as unknown as JSONRPCMessage);
      return;
    }
    const error = { code: -32600, message: 'Invalid request: not as the protocol has it' };
    this.receive({ jsonrpc: '2.0', id: message.id ?? null, error });
  }
}
