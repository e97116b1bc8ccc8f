/** What the server says of itself. */
export interface Self {
  name: string;
  title: string;
  version: string;
  instructions: string;
}

/** Revisions that are opened with `initialize`, the newest first; a client that asks for another gets the first. */
export const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

export const CAPABILITIES = { tools: {} };

/**
 * The answer to `initialize`, given before the SDK is loaded, which takes longer than some clients wait patiently. It
 * says what the SDK says (a test compares them), and the SDK gets to see the request, too; its own answer is held back.
 *
 * @returns undefined for anything but a well-formed `initialize`, which the SDK answers
 */
export function greet(message: Record<string, unknown>, self: Self): Record<string, unknown> | undefined {
  const { method, id, params } = message;
  if (method !== 'initialize' || id === undefined || !isRecord(params)) return undefined;
  const { protocolVersion, capabilities, clientInfo, _meta } = params;
  const known = typeof protocolVersion === 'string' && isRecord(capabilities) && isRecord(clientInfo);
  // Revisions without `initialize` tell of themselves in every request.
  if (!known || _meta !== undefined) return undefined;
  if (typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string') return undefined;
  const { name, title, version, instructions } = self;
  return {
    jsonrpc: '2.0',
    id,
    result: {
      protocolVersion: REVISIONS.find((revision) => revision === protocolVersion) ?? REVISIONS[0],
      capabilities: CAPABILITIES,
      serverInfo: { name, title, version },
      instructions,
    },
  };
}

/** Where a request of a revision without `initialize` names the client; the SDK has the same name for it. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/** @param envelope what a request's `_meta` says of the client; undefined for revisions with `initialize` */
export function clientIn(envelope: unknown): { name: string; version: string } | undefined {
  const client = isRecord(envelope) ? envelope[CLIENT_INFO] : undefined;
  if (!isRecord(client) || typeof client.name !== 'string') return undefined;
  return { name: client.name, version: typeof client.version === 'string' ? client.version : '' };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
