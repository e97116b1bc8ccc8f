import * as z from 'zod/mini';
import { procedure } from '../operation.js';

/** Asked by programs: the wings, and the types that documents declare or manifests give them. */
export const names = procedure({
  name: 'list names',
  reads: true,
  inWing: 'names belong to the whole palace',
  input: () => z.strictObject({}),
  run(_, { handle }) {
    const palace = handle.get();
    return palace.snapshot(() => ({
      wings: [...new Set(palace.rooms().map(({ wing }) => wing))],
      types: palace.listing.declaredTypes(),
    }));
  },
});
