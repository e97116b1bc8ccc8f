import { z } from 'zod';
import type { LockHolder } from '../platform/lock.js';
import type { CommandRuns, RunRow } from '../store/index.js';

export type RunJson = ReturnType<typeof runJson>;

const count = z.number().nullable().catch(null);
const counts = z.record(z.string(), z.number()).catch({});
const versions = z.record(z.string(), z.string()).catch({});
const problem = z.object({ origin: z.string(), reason: z.string(), detail: z.string().optional() });
const runCounts = z.object({
  new: count,
  changed: count,
  unchanged: count,
  removed: count,
  skipped: count,
  drawers_added: count,
  drawers_removed: count,
  redacted: counts,
  skipped_by_reason: counts,
});

/** @param holder the process that owns the palace's run lock, if any */
export function runJson(run: RunRow, holder: LockHolder | undefined) {
  return {
    id: run.id,
    command: run.command,
    started: new Date(run.startedMs).toISOString(),
    seconds: run.endedMs === null ? null : (run.endedMs - run.startedMs) / 1000,
    /** Null when it did not end: killed, or still running. */
    exit_code: run.exitCode,
    running: isRunning(run, holder),
    ...runCounts.parse(run.counts),
    problems: run.skipped.flatMap((skip) => problem.safeParse(skip).data ?? []),
    counts: run.counts,
    versions: versions.parse(run.versions),
  };
}

/** A run is recorded after it took the lock: one that was killed earlier is older than the lock. */
function isRunning({ exitCode, startedMs }: RunRow, holder: LockHolder | undefined): boolean {
  return exitCode === null && holder !== undefined && startedMs >= Date.parse(holder.since);
}

export function feederJson({ command, lastMs, lastExitCode, succeededMs, doneMs }: CommandRuns) {
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    command,
    last_run: moment(lastMs),
    last_exit_code: lastExitCode,
    last_succeeded: moment(succeededMs),
    last_done: moment(doneMs),
  };
}
