import { plural } from './plural.js';

/** Whether the run's time (`--max-duration`) is over; called between two steps. */
export type TimeIsUp = () => boolean;

/** @param ms milliseconds from now; undefined: there is no limit */
export function timeLimit(ms: number | undefined): TimeIsUp | undefined {
  if (ms === undefined) return undefined;
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/**
 * A feeder had no time to stage everything. The staged files are kept, and the next run continues; an incomplete batch
 * is not mined.
 */
export class TimeUp extends Error {
  /** Sources that are not staged, or were staged by this run and are not filed. */
  readonly left: number;

  constructor(left: number) {
    super(`time is up, ${plural(left, 'source')} left`);
    this.name = 'TimeUp';
    this.left = left;
  }
}
