import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { issuesText } from '../../core/issues.js';
import { isMethod, METHODS, type PalaceService, type ServiceCall } from '../contract/index.js';
import { SCHEMAS } from '../contract/schemas.js';
import type { Request } from './messages.js';

const request: z.ZodType<Request> = z.union([
  z.object({
    id: z.int(),
    method: z.string(),
    input: z.unknown(),
    by: z.object({ agent: z.string(), through: z.string(), waitMs: z.number() }),
  }),
  z.object({ cancel: z.int() }),
]);

/** @returns undefined for what is not a request of this version */
export function parseRequest(message: unknown): Request | undefined {
  return request.safeParse(message).data;
}

/** A service that refuses other inputs than its methods take. */
export function strict(service: PalaceService): PalaceService {
  const entries = Object.keys(METHODS)
    .filter(isMethod)
    .map((method) => [
      method,
      async (input: unknown, call: ServiceCall): Promise<unknown> => {
        const read = SCHEMAS[method].input.safeParse(input);
        if (!read.success) throw new UserError('usage', issuesText(read.error, method));
        // The compiler does not see that method and input belong together.
        return (service[method] as (input: unknown, call: ServiceCall) => Promise<unknown>)(read.data, call);
      },
    ]);
  return Object.fromEntries(entries) as PalaceService;
}
