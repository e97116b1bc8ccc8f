import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import type { TimeIsUp } from '../../core/time-up.js';
import { parseDuration, plural } from './durations.js';

/**
 * The `--max-duration` of a run in milliseconds; undefined without a limit.
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
  if (ms === 0) throw new UserError('usage', '--max-duration must be more than 0');
  if (flags.force === true) {
    throw new UserError('usage', '--max-duration and --force exclude each other', {
      hint: 'each run would process everything again and never finish',
    });
  }
  if (flags.stageOnly === true) {
    throw new UserError('usage', '--max-duration needs a run that files: not with --stage-only');
  }
  return ms;
}

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
