/** What happens to a palace, as the names of server-sent events. */
export interface LiveEvent {
  event: 'filed' | 'facts' | 'run' | 'progress' | 'ended' | 'connections';
  data: object;
}

export interface StreamLimits {
  /** Streams at most. */
  streams: number;
  /** A client that has not read so much is dropped, bytes. */
  unreadBytes: number;
  /** Between two signs of life, milliseconds. */
  heartbeatMs: number;
}

export const STREAM_LIMITS: StreamLimits = { streams: 32, unreadBytes: 64 * 1024, heartbeatMs: 15_000 };

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A proxy sends on at once.
  'x-accel-buffering': 'no',
};

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Streams of server-sent events. Each is bounded: a client that stops reading is dropped, not buffered for. */
export class EventStreams {
  readonly #open = new Set<Controller>();
  #heart: NodeJS.Timeout | undefined;

  constructor(private readonly limits: StreamLimits) {}

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= this.limits.streams;
  }

  /**
   * @param first is sent before all else
   * @param ending ends the stream in order
   */
  open(first: readonly LiveEvent[], ending: AbortSignal): Response {
    let own: Controller | undefined;
    const leave = (): void => {
      if (own !== undefined) this.#leave(own);
    };
    const end = (): void => {
      if (own === undefined || !this.#open.has(own)) return;
      leave();
      own.close();
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          own = controller;
          this.#open.add(controller);
          this.#push(controller, ': mempalace\n\n');
          for (const each of first) this.#push(controller, textOf(each));
        },
        cancel: leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: this.limits.unreadBytes }),
    );
    if (ending.aborted) end();
    else ending.addEventListener('abort', end, { once: true });
    this.#heart ??= setInterval(() => this.#toAll(': \n\n'), this.limits.heartbeatMs).unref();
    return new Response(body, { headers: HEADERS });
  }

  send(event: LiveEvent): void {
    if (this.#open.size > 0) this.#toAll(textOf(event));
  }

  #toAll(text: string): void {
    for (const controller of this.#open) this.#push(controller, text);
  }

  #push(controller: Controller, text: string): void {
    const bytes = Buffer.from(text);
    if ((controller.desiredSize ?? 0) >= bytes.byteLength) controller.enqueue(bytes);
    else {
      this.#leave(controller);
      controller.error(new Error('a client of the events does not read'));
    }
  }

  #leave(controller: Controller): void {
    this.#open.delete(controller);
    if (this.#open.size > 0) return;
    clearInterval(this.#heart);
    this.#heart = undefined;
  }
}

/** JSON has no line breaks outside of texts, where they are escaped. */
const textOf = ({ event, data }: LiveEvent): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
