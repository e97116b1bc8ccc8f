import { type ScheduleStatus, scheduleStatus } from '../../schedule/index.js';
import type { DoctorContext } from './context.js';
import { type Finding, ok, warn } from './finding.js';

const LABEL = 'schedule';
/** Done; done with something left out; another run held the palace. */
const FINE = new Set([0, 3, 11]);
const LOOK = 'mempalace schedule status';

/** What runs the feeders every week, and how it went. */
export async function checkSchedule({ env, folders }: DoctorContext): Promise<Finding[]> {
  return scheduleFindings(await scheduleStatus({ env, folders }));
}

/** A schedule is nobody's duty: without one nothing is wrong. */
export function scheduleFindings(statuses: readonly ScheduleStatus[]): Finding[] {
  const installed = statuses.filter((each) => each.installed);
  if (installed.length === 0) return [ok(LABEL, 'none is installed (mempalace schedule install makes one)')];
  return installed.flatMap((status) => {
    const { scheduler, job, active, problems, exitCode, result } = status;
    const who = `${job} by ${scheduler}`;
    const found = problems.map((problem) => warn(LABEL, `${who}: ${problem}`, LOOK));
    if (active === false)
      found.push(
        warn(
          LABEL,
          `${who} is installed, and will not run`,
          problems.length > 0 ? LOOK : 'mempalace schedule install',
        ),
      );
    if (exitCode !== null && !FINE.has(exitCode))
      found.push(warn(LABEL, `${who}: its last run ended with ${result ?? exitCode} (${exitCode})`, LOOK));
    return found.length > 0 ? found : [ok(LABEL, describe(status))];
  });
}

function describe({ job, scheduler, next, last, result }: ScheduleStatus): string {
  const parts = [`${job} by ${scheduler}`];
  if (next !== null) parts.push(`next ${next.slice(0, 10)}`);
  if (last !== null) parts.push(`last ${last.slice(0, 10)}${result === null ? '' : ` (${result})`}`);
  return parts.join(', ');
}
