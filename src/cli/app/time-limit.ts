import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import type { TimeIsUp } from '../../core/time-up.js';
import { parseDuration, plural } from './durations.js';

/**
 * The `--max-duration` of a run, in milliseconds; undefined for as long as it takes.
 *
 * @throws UserError `usage`
 */
export function maxDuration(flags: {
  maxDuration?: string;
  force?: boolean;
  stageOnly?: boolean;
}): number | undefined {
  if (flags.maxDuration === undefined) return undefined;
  const ms = parseDuration('--max-duration', flags.maxDuration);
  if (ms === 0) throw new UserError('usage', '--max-duration takes more than 0');
  if (flags.force === true) {
    throw new UserError('usage', '--max-duration and --force exclude each other', {
      hint: 'a run that does everything again would begin again each time, and never end',
    });
  }
  if (flags.stageOnly === true) {
    throw new UserError('usage', '--max-duration is for runs that file: not with --stage-only');
  }
  return ms;
}

/** Counts from now on. */
export function startTimeLimit(ms: number | undefined): TimeIsUp | undefined {
  if (ms === undefined) return undefined;
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/** Makes a run that left something over one that ends with exit code 3, from which `--since` does not start. */
export function timeUpProblems(left: number): Skipped[] {
  if (left === 0) return [];
  const detail = `${plural(left, 'source')} left; the next run goes on`;
  return [{ origin: '--max-duration', reason: 'time is up', detail, problem: true }];
}
