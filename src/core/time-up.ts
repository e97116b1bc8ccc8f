import type { Batch } from './contract.js';
import { plural } from './plural.js';

/** Whether the run's time (`--max-duration`) is over; called between two steps. */
export type TimeIsUp = () => boolean;

/** @param ms milliseconds from now; undefined: there is no limit */
export function timeLimit(ms: number | undefined): TimeIsUp | undefined {
  if (ms === undefined) return undefined;
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/** A feeder had no time to stage everything. The staged files are kept, and the next run continues. */
export class TimeUp extends Error {
  /** `left`: sources that are not staged; `batches`: what can be filed, and nothing may be removed because of it. */
  constructor(
    readonly left: number,
    readonly batches: readonly Batch[],
  ) {
    super(`time is up, ${plural(left, 'source')} left`);
    this.name = 'TimeUp';
  }
}
