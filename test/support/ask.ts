import type * as z from 'zod/mini';
import { OPERATIONS } from '../../src/operations/all.js';
import type { PalaceService, ServiceCall } from '../../src/service/contract/index.js';
import { asking } from '../service/palace.js';

type Operations = typeof OPERATIONS;

/** Asks a service an operation, by the name of its document. */
export async function ask<Name extends keyof Operations>(
  service: Pick<PalaceService, 'ask'>,
  name: Name,
  input: z.input<ReturnType<Operations[Name]['input']>>,
  call: ServiceCall = asking(),
): Promise<z.output<ReturnType<Operations[Name]['output']>>> {
  const { name: operation, reads } = OPERATIONS[name] as { name: string; reads?: true };
  const document = await service.ask({ name: operation, ...(reads && { reads }) }, input, call);
  return document as z.output<ReturnType<Operations[Name]['output']>>;
}
