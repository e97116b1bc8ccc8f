import type { Skipped } from '../../core/contract.js';
import type { TimeIsUp } from '../../core/time-up.js';
import { plural } from './durations.js';

export function startTimeLimit(ms: number | undefined): TimeIsUp | undefined {
  if (ms === undefined) return undefined;
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/** A problem gives the run exit code 3, and `--since` does not start from it. */
export function timeUpProblems(left: number): Skipped[] {
  if (left === 0) return [];
  const detail = `${plural(left, 'source')} left for the next run`;
  return [{ origin: '--max-duration', reason: 'time is up', detail, problem: true }];
}
