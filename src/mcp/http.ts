import type { Self } from './greeting.js';
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
  return (request) => handler.fetch(request);
}
