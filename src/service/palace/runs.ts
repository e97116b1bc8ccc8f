import { join } from 'node:path';
import { lockHolder, RUN_LOCK } from '../../platform/lock.js';
import type { Palace } from '../../store/index.js';

export type RecentRun = ReturnType<typeof recentRuns>[number];

/** The last runs of a palace, newest first. */
export function recentRuns(palace: Palace, limit: number, which?: Parameters<Palace['runs']['latest']>[1]) {
  const holder = lockHolder(join(palace.folder, RUN_LOCK));
  const since = holder === undefined ? Number.POSITIVE_INFINITY : Date.parse(holder.since);
  return palace.runs.latest(limit, which).map((run) => ({
    ...run,
    // A run is recorded after it took the lock: one that was killed earlier is older than the lock.
    running: run.exitCode === null && run.startedMs >= since,
  }));
}
