/** What the palace contains. */
import * as z from 'zod/mini';
import { type AnyProcedure, procedure } from '../operation.js';
import { drawers } from './drawers.js';
import { map } from './map.js';
import { places } from './places.js';
import { runs } from './runs.js';
import { sources } from './sources.js';
import { status } from './status.js';
import { work } from './work.js';

export const listing = { status, ...places, ...map, ...sources, ...runs, ...drawers, ...work };

/** Asked by programs: the wings, and the types that documents declare or manifests give them. */
const names = procedure({
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

/** Also those that only programs ask. */
export const ALL: readonly AnyProcedure[] = [...Object.values(listing), names];
