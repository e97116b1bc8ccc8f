import { dayOfMoment } from '../core/day.js';
import type { Job, ScheduleStatus } from './types.js';

const DAY_MS = 86_400_000;
/** Two weekly runs. */
export const STALE_DAYS = 14;

/**
 * Scheduled programs without a success for 14 days. A program that never succeeded counts when it was scheduled that long
 * ago, or has run.
 *
 * @param runs from the palace; `doneMs`: end of the last success, epoch milliseconds
 * @param schedules called only when a program may be stale, since it runs the schedulers' programs
 * @returns `lastDone`: end of the last success, ISO 8601, null for never; `days`: whole days since then, or since it was
 *   scheduled; null when both are unknown
 */
export async function staleFeeders(
  jobs: readonly Job[],
  runs: readonly { command: string; doneMs: number | null }[],
  schedules: () => Promise<ScheduleStatus[]>,
  nowMs: number,
) {
  const old = (ms: number) => nowMs - ms > STALE_DAYS * DAY_MS;
  const done = new Map(runs.map(({ command, doneMs }) => [command, doneMs]));
  const suspects = jobs.filter((job) => old(done.get(job) ?? Number.NEGATIVE_INFINITY));
  if (suspects.length === 0) return [];
  const installed = (await schedules()).filter((each) => each.installed);
  return suspects.flatMap((command) => {
    const mine = installed.filter(({ job }) => job === command);
    if (mine.length === 0) return [];
    const doneMs = done.get(command) ?? null;
    const [since = null] = mine.flatMap(({ installedAt }) => installedAt ?? []).sort();
    const sinceMs = doneMs ?? (since === null ? null : Date.parse(since));
    // Scheduled recently, and not run since.
    if (!done.has(command) && (sinceMs === null || !old(sinceMs))) return [];
    const days = sinceMs === null ? null : Math.floor((nowMs - sinceMs) / DAY_MS);
    const schedulers = mine.map(({ scheduler }) => scheduler);
    const lastDone = doneMs === null ? null : new Date(doneMs).toISOString();
    const problem =
      lastDone === null
        ? 'has never finished'
        : `has not succeeded for ${days} days, since ${dayOfMoment(lastDone)}`;
    const notice = `${command} ${problem}, although ${schedulers.join(' and ')} should run it weekly: see mempalace schedule status`;
    return [{ command, schedulers, lastDone, days, notice }];
  });
}
