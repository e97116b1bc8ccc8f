import type { Duplex } from 'node:stream';
import { isRecord, parseJson } from '../core/json.js';
import { Lines } from '../platform/lines.js';
import type { Message } from './message.js';
import type { Backend } from './relay.js';
import { MOST_BYTES } from './transport.js';

/** Answers of a broker are bounded by the tools; a longer line is an error of the connection. */
const MOST_ANSWER = 4 * MOST_BYTES;

/** The tools of a broker, behind a stream of lines. */
export class Remote implements Backend {
  receive: (message: Message) => void = () => {};
  readonly closed: Promise<void>;
  readonly #lines = new Lines(MOST_ANSWER, (text) => {
    const message = text === undefined ? undefined : parseJson(text);
    if (isRecord(message)) this.receive(message);
    else this.#stream.destroy();
  });
  readonly #stream: Duplex;

  /** @param stream may be paused */
  constructor(
    stream: Duplex,
    readonly writes: Backend['writes'],
  ) {
    this.#stream = stream;
    this.closed = new Promise((resolve) => {
      stream.once('close', () => resolve());
    });
    stream.once('end', () => stream.destroy());
    // It closes then.
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => this.#lines.take(piece));
    stream.resume();
  }

  ask(message: Message): boolean {
    if (!this.#stream.writable) return false;
    this.#stream.write(`${JSON.stringify(message)}\n`);
    return true;
  }

  close(): void {
    this.#stream.destroy();
  }
}
