import type * as z from 'zod/mini';
import type { PalaceService, ServiceCall } from '../service/contract/index.js';
import type { Operation } from './operation.js';

/** Asks a palace an operation: the compiler sees which input it takes and what it answers. */
export async function ask<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  service: Pick<PalaceService, 'ask'>,
  operation: Operation<Input, Output>,
  input: z.input<Input>,
  call: ServiceCall,
): Promise<z.output<Output>> {
  return (await service.ask(operation, input, call)) as z.output<Output>;
}
