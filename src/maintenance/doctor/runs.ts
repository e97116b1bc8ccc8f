import type { LockHolder } from '../../platform/lock.js';
import { STALE_DAYS } from '../../schedule/index.js';
import type { CommandRuns } from '../../store/index.js';
import type { DoctorContext } from './context.js';
import { type Finding, ok, warn } from './finding.js';

const LABEL = 'last success';
/** Commands, and how they are typed again. */
const FEEDERS: readonly [string, string][] = [
  ['mempalace-docs', 'mempalace-docs <dir>'],
  ['mempalace-session', 'mempalace-session --since'],
];
const INTERRUPTED = new Set([130, 143]);
const DAY_MS = 86_400_000;

/** When each feeder last did its work. */
export async function checkRuns({ palace: folder, usable, now, holder }: DoctorContext): Promise<Finding[]> {
  if (!usable) return [];
  const { Palace } = await import('../../store/index.js');
  return runFindings(
    Palace.look(folder, ({ runs }) => runs.byCommand()),
    now,
    holder,
  );
}

/**
 * A run that left something out (exit 3) filed the rest, and counts. A feeder that never ran is not missed.
 *
 * @param now epoch milliseconds
 * @param holder who files right now
 */
export function runFindings(
  runs: readonly CommandRuns[],
  now: number,
  holder?: Pick<LockHolder, 'command' | 'since'>,
): Finding[] {
  return FEEDERS.flatMap(([command, typed]) => {
    const run = runs.find((each) => each.command === command);
    if (run === undefined) return [];
    if (holder?.command === command && run.lastExitCode === null)
      return [ok(LABEL, `${command}: running since ${holder.since.slice(0, 16).replace('T', ' ')} UTC`)];
    if (run.doneMs === null)
      return [warn(LABEL, `${command} has never succeeded`, `${typed} says why, or goes on`)];
    const day = new Date(run.doneMs).toISOString().slice(0, 10);
    const days = Math.floor((now - run.doneMs) / DAY_MS);
    if (days > STALE_DAYS) return [warn(LABEL, `${command}: ${day}, ${days} days ago`, typed)];
    const code = run.lastExitCode;
    const failed = code !== null && code !== 0 && code !== 3 && run.lastMs > run.doneMs;
    if (failed && INTERRUPTED.has(code))
      return [warn(LABEL, `${command}: ${day}; its last run was interrupted`, `${typed} goes on from there`)];
    if (failed)
      return [warn(LABEL, `${command}: ${day}; its last run failed (exit ${code})`, `${typed} says why`)];
    return [ok(LABEL, `${command}: ${day}`)];
  });
}
