import type * as z from 'zod/mini';
import { OPERATIONS as CHANNELS } from '../../src/operations/all.js';
import { programs } from '../../src/operations/programs.js';
import { showing } from '../../src/operations/reading/show.js';
import { receiving } from '../../src/operations/receiving.js';
import { summaries } from '../../src/operations/summaries.js';
import type { PalaceService, ServiceCall } from '../../src/service/contract/index.js';
import { asking } from '../service/palace.js';

/** Those that programs alone ask, too. */
export const OPERATIONS = { ...CHANNELS, ...programs, ...receiving, ...showing, ...summaries };
export type Operations = typeof OPERATIONS;

/** Asks a service an operation, by the name of its document. */
export async function ask<Name extends keyof Operations>(
  service: Pick<PalaceService, 'ask'>,
  name: Name,
  input: z.input<ReturnType<Operations[Name]['input']>>,
  call: ServiceCall = asking(),
): Promise<Awaited<ReturnType<Operations[Name]['run']>>> {
  const { name: operation, reads } = OPERATIONS[name] as { name: string; reads?: true };
  const document = await service.ask({ name: operation, ...(reads && { reads }) }, input, call);
  return document as Awaited<ReturnType<Operations[Name]['run']>>;
}
