/** What the palace contains. */
import type { AnyProcedure } from '../operation.js';
import { drawers } from './drawers.js';
import { map } from './map.js';
import { names } from './names.js';
import { places } from './places.js';
import { runs } from './runs.js';
import { sources } from './sources.js';
import { status } from './status.js';

export const listing = { status, ...places, ...map, ...sources, ...runs, ...drawers };

/** Also those that only programs ask. */
export const ALL: readonly AnyProcedure[] = [...Object.values(listing), names];
