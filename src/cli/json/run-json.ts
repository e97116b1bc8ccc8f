import { z } from 'zod';
import type { RunRow } from '../../store/index.js';

/** A run as `status` and `list runs` give it. */
export type RunJson = ReturnType<typeof runJson>;

const count = z.number().nullable().catch(null);
const counts = z.record(z.string(), z.number()).catch({});
const versions = z.record(z.string(), z.string()).catch({});
const problem = z.object({ origin: z.string(), reason: z.string(), detail: z.string().optional() });

export function runJson(run: RunRow) {
  const { new: added, changed, unchanged, removed, drawers_added, drawers_removed, skipped } = run.counts;
  return {
    id: run.id,
    command: run.command,
    started: new Date(run.startedMs).toISOString(),
    seconds: run.endedMs === null ? null : (run.endedMs - run.startedMs) / 1000,
    /** Null when it did not end: killed, or still at it. */
    exit_code: run.exitCode,
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
