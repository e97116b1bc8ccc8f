import type { Server, Transport } from '@modelcontextprotocol/server';
import { CAPABILITIES, clientIn, type Self } from './greeting.js';
import { Roots } from './roots.js';
import type { Toolbox } from './toolbox.js';

/** Characters of an unknown tool's name in an error. */
const NAME_SHOWN = 100;

/** A transport that refuses the messages which the SDK would ignore silently. */
export interface CheckedTransport extends Transport {
  /** Whether the SDK handles a message. */
  isKnown: (message: Record<string, unknown>) => boolean;
  readonly closed: Promise<void>;
}

/**
 * Serves tools to one client until the transport closes or the signal aborts.
 *
 * @param about.onTrouble receives errors that belong to no call; for stderr
 */
export async function serveTools(
  transport: CheckedTransport,
  tools: Toolbox,
  { self, signal, onTrouble }: { self: Self; signal: AbortSignal; onTrouble: (error: unknown) => void },
): Promise<void> {
  const [sdk, { serveStdio }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  transport.isKnown = (message) =>
    sdk.isJSONRPCRequest(message) ||
    sdk.isJSONRPCNotification(message) ||
    sdk.isJSONRPCResultResponse(message) ||
    sdk.isJSONRPCErrorResponse(message);
  const handle = serveStdio(
    () => {
      let roots: Roots | undefined;
      const server = mcpServer(sdk, tools, self, { folders: async () => roots?.folders() ?? [] });
      roots = new Roots(server);
      server.setNotificationHandler('notifications/roots/list_changed', () => roots?.forget());
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

/**
 * The SDK's server for tools.
 *
 * @param client.folders that it works in
 * @param client.gone aborts when it no longer waits
 */
export function mcpServer(
  sdk: typeof import('@modelcontextprotocol/server'),
  tools: Toolbox,
  { name, title, version, instructions }: Self,
  { folders, gone }: { folders(): Promise<readonly string[]>; gone?: AbortSignal | undefined },
): Server {
  const server = new sdk.Server({ name, title, version }, { capabilities: CAPABILITIES, instructions });
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
      signal: gone === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, gone]),
      folders,
    });
  });
  return server;
}
