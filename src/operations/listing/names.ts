import * as z from 'zod/mini';
import { operation } from '../operation.js';

/** Asked by programs: the wings, and the types that documents declare or manifests give them. */
export const names = operation({
  name: 'list names',
  reads: true,
  inWing: 'names belong to the whole palace',
  input: () => z.strictObject({}),
  output: () => z.strictObject({ wings: z.array(z.string()), types: z.array(z.string()) }),
  run(_, { handle }) {
    const palace = handle.get();
    return palace.snapshot(() => ({
      wings: [...new Set(palace.rooms().map(({ wing }) => wing))],
      types: palace.listing.declaredTypes(),
    }));
  },
});
