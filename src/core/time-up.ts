import { plural } from './plural.js';

/** Asked between two steps: has the run had its time (`--max-duration`)? */
export type TimeIsUp = () => boolean;

/**
 * A feeder had no time to stage everything. What it staged is kept, and the next run goes on from there; a
 * batch that is not whole is not handed on.
 */
export class TimeUp extends Error {
  /** Sources that were not staged, or were staged by this run and are not filed. */
  readonly left: number;

  constructor(left: number) {
    super(`time is up, ${plural(left, 'source')} left`);
    this.name = 'TimeUp';
    this.left = left;
  }
}
