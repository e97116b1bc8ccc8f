import type { Readable, Writable } from 'node:stream';
import { CAPABILITIES, clientIn, greet, type Self } from './greeting.js';
import { Roots } from './roots.js';
import type { Toolbox } from './toolbox.js';
import { LineTransport } from './transport.js';

/** Characters of an unknown tool's name in an error. */
const NAME_SHOWN = 100;

export interface ServeOptions {
  self: Self;
  input: Readable;
  output: Writable;
  /** Longest duration of a call, milliseconds. */
  deadlineMs: number;
  /** Receives errors that belong to no call; for stderr. */
  onTrouble: (error: unknown) => void;
}

/** A server that already listens and answers the first `initialize` while the rest is loaded. */
export class Listening {
  readonly #transport: LineTransport;

  constructor(private readonly options: ServeOptions) {
    const { input, output, self, deadlineMs } = options;
    this.#transport = new LineTransport(input, output, (message) => greet(message, self), deadlineMs);
    this.#transport.listen();
  }

  /** Fulfilled after the first message or the end of input. Work that blocks the thread waits for it. */
  get opened(): Promise<void> {
    return this.#transport.opened;
  }

  /** Serves until stdin or stdout closes, or the signal aborts. All that came before stdin closed is answered. */
  async serve(tools: Toolbox, signal: AbortSignal): Promise<void> {
    const { self, onTrouble } = this.options;
    const [sdk, { serveStdio }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    const transport = this.#transport;
    transport.isKnown = (message) =>
      sdk.isJSONRPCRequest(message) ||
      sdk.isJSONRPCNotification(message) ||
      sdk.isJSONRPCResultResponse(message) ||
      sdk.isJSONRPCErrorResponse(message);
    const { name, title, version, instructions } = self;
    const handle = serveStdio(
      () => {
        const server = new sdk.Server({ name, title, version }, { capabilities: CAPABILITIES, instructions });
        const roots = new Roots(server);
        server.setNotificationHandler('notifications/roots/list_changed', () => roots.forget());
        server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
        server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
          const tool = tools.find(params.name);
          if (tool === undefined)
            throw new sdk.ProtocolError(
              sdk.ProtocolErrorCode.InvalidParams,
              `there is no tool ${JSON.stringify(params.name.slice(0, NAME_SHOWN))} here`,
            );
          return tools.call(tool, params.arguments, {
            client: clientIn(mcpReq.envelope) ?? server.getClientVersion(),
            signal: mcpReq.signal,
            folders: () => roots.folders(),
          });
        });
        return server;
      },
      { transport, onerror: onTrouble },
    );
    const stop = (): void => void handle.close();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    await transport.closed;
    signal.removeEventListener('abort', stop);
  }
}
