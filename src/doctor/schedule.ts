import { type ScheduleStatus, scheduleStatus } from '../schedule/index.js';
import type { DoctorContext } from './context.js';
import { type Finding, ok, warn } from './finding.js';

const LABEL = 'schedule';

/** What runs the feeders without being thought of, and whether anything is wrong with it. */
export async function checkSchedule({ env, folders }: DoctorContext): Promise<Finding[]> {
  return scheduleFindings(await scheduleStatus({ env, folders }));
}

/** Nothing on a schedule is no fault: a container has none, and some people run the feeders by hand. */
export function scheduleFindings(statuses: readonly ScheduleStatus[]): Finding[] {
  const installed = statuses.filter((status) => status.installed);
  if (installed.length === 0) {
    return [ok(LABEL, 'none; mempalace schedule install has the feeders run every week')];
  }
  return installed.flatMap((status) =>
    status.problems.length === 0
      ? [ok(LABEL, describe(status))]
      : status.problems.map((problem) =>
          warn(LABEL, `${status.job} by ${status.scheduler}: ${problem}`, 'mempalace schedule status'),
        ),
  );
}

function describe({ job, scheduler, next, last, result }: ScheduleStatus): string {
  const parts = [`${job} by ${scheduler}`];
  if (next !== null) parts.push(`next ${next.slice(0, 10)}`);
  if (last !== null) parts.push(`last ${last.slice(0, 10)}${result === null ? '' : ` (${result})`}`);
  return parts.join(', ');
}
