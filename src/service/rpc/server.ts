import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { PalaceService } from '../contract/index.js';
import { linesOver } from './lines.js';
import type { Request, Response } from './messages.js';
import { type Serving, serveOver } from './over.js';

/** Serves until the stream ends, then fulfils. Calls of a client that has gone are cancelled. */
export function serveService(stream: Duplex, service: PalaceService, serving?: Serving): Promise<void> {
  const link = linesOver<Response, unknown>(stream, { patient: true });
  return serveOver(link, service, parseRequest, serving);
}

const request: z.ZodType<Request> = z.union([
  z.object({
    id: z.int(),
    name: z.string(),
    reads: z.literal(true).optional(),
    input: z.unknown(),
    by: z.object({ agent: z.string(), through: z.string(), waitMs: z.number() }),
  }),
  z.object({ cancel: z.int() }),
]);

/** @returns undefined for what is not a request of this version */
function parseRequest(message: unknown): Request | undefined {
  return request.safeParse(message).data;
}
