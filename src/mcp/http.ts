import { parseJson } from '../core/json.js';
import { bytesWithin } from '../platform/body.js';
import type { Self } from './greeting.js';
import { tidyMessage } from './message.js';
import { mcpServer } from './server.js';
import type { Toolbox } from './toolbox.js';

export type Fetch = (request: Request) => Promise<Response>;

/**
 * Serves tools over Streamable HTTP, without sessions: every request stands alone. The caller has checked Host, Origin
 * and token.
 */
export async function httpTools(
  tools: Toolbox,
  { self, bodyBytes, onTrouble }: { self: Self; bodyBytes: number; onTrouble: (error: unknown) => void },
): Promise<Fetch> {
  const sdk = await import('@modelcontextprotocol/server');
  const handler = sdk.createMcpHandler(
    // The folders of another machine mean nothing here.
    ({ requestInfo }) => mcpServer(sdk, tools, self, { folders: async () => [], gone: requestInfo?.signal }),
    { maxRequestBodySize: bodyBytes, onerror: onTrouble },
  );
  return async (request) => {
    const { method, url, headers, signal } = request;
    const body = await bytesWithin(request.body, bodyBytes);
    if (body === undefined) return Response.json({ error: 'too_large' }, { status: 413 });
    const message = parseJson(body.toString('utf8'));
    const tidy = Array.isArray(message) ? message.map(tidyMessage) : tidyMessage(message);
    // What is not JSON is refused by the SDK.
    return handler.fetch(new Request(url, { method, headers, signal, body }), {
      ...(tidy !== undefined && { parsedBody: tidy }),
    });
  };
}
