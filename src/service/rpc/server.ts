import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { issuesText } from '../../core/issues.js';
import { callMethod, isMethod, type PalaceService, serviceFrom } from '../contract/index.js';
import { SCHEMAS } from '../contract/schemas.js';
import { linesOver } from './lines.js';
import type { Request, Response } from './messages.js';
import { type Serving, serveOver } from './over.js';

/** Serves until the stream ends, then fulfils. Calls of a client that has gone are cancelled. */
export function serveService(stream: Duplex, service: PalaceService, serving?: Serving): Promise<void> {
  const link = linesOver<Response, unknown>(stream, { patient: true });
  return serveOver(link, strict(service), parseRequest, serving);
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

/** A service that refuses other inputs than its methods take. */
function strict(service: PalaceService): PalaceService {
  return serviceFrom(async (asked, input, call) => {
    // An operation checks its input itself.
    if (!isMethod(asked.name)) return service.ask(asked, input, call);
    const read = SCHEMAS[asked.name].input.safeParse(input);
    if (!read.success) throw new UserError('usage', issuesText(read.error, asked.name));
    return callMethod(service, asked, read.data, call);
  });
}
