import { z } from 'zod';
import type { LockHolder } from '../platform/lock.js';
import type { CommandRuns, RunRow } from '../store/index.js';

export type RunJson = ReturnType<typeof runJson>;

const count = z.number().nullable().catch(null);
const counts = z.record(z.string(), z.number()).catch({});
const versions = z.record(z.string(), z.string()).catch({});
const problem = z.object({ origin: z.string(), reason: z.string(), detail: z.string().optional() });

/** @param holder the process that owns the palace's run lock, if any */
export function runJson(run: RunRow, holder: LockHolder | undefined) {
  const { new: added, changed, unchanged, removed, drawers_added, drawers_removed, skipped } = run.counts;
  return {
    id: run.id,
    command: run.command,
    started: new Date(run.startedMs).toISOString(),
    seconds: run.endedMs === null ? null : (run.endedMs - run.startedMs) / 1000,
    /** Null when it did not end: killed, or still running. */
    exit_code: run.exitCode,
    running: isRunning(run, holder),
    new: count.parse(added),
    changed: count.parse(changed),
    unchanged: count.parse(unchanged),
    removed: count.parse(removed),
    skipped: count.parse(skipped),
    drawers_added: count.parse(drawers_added),
    drawers_removed: count.parse(drawers_removed),
    redacted: counts.parse(run.counts.redacted),
    skipped_by_reason: counts.parse(run.counts.skipped_by_reason),
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
