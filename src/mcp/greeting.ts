import { isRecord } from '../core/json.js';

/** How the server presents itself. */
export interface Self {
  name: string;
  title: string;
  version: string;
  instructions: string;
}

/** Protocol revisions with `initialize`, newest first. A client that asks for an unknown one gets the first. */
export const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

export const CAPABILITIES = { tools: {} };

/**
 * The answer to `initialize`, sent before the SDK is loaded: some clients do not wait that long. A test compares it with
 * the SDK's answer. The SDK gets the request too; its own answer is dropped.
 *
 * @returns undefined for every other message and a malformed `initialize`, which the SDK answers
 */
export function greet(message: Record<string, unknown>, self: Self): Record<string, unknown> | undefined {
  const { method, id, params } = message;
  if (method !== 'initialize' || id === undefined || !isRecord(params)) return undefined;
  const { protocolVersion, capabilities, clientInfo, _meta } = params;
  const known = typeof protocolVersion === 'string' && isRecord(capabilities) && isRecord(clientInfo);
  // Revisions without `initialize` describe the client in every request.
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

/** The key of the client in a request without `initialize`; the SDK uses the same name. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/** @param envelope a request's `_meta`; undefined for revisions with `initialize` */
export function clientIn(envelope: unknown): { name: string; version: string } | undefined {
  const client = isRecord(envelope) ? envelope[CLIENT_INFO] : undefined;
  if (!isRecord(client) || typeof client.name !== 'string') return undefined;
  return { name: client.name, version: typeof client.version === 'string' ? client.version : '' };
}
