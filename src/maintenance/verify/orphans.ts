import { existsAs } from '../../core/marked-path.js';
import type { SessionOptions } from '../../feeders/session/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import type { Finding } from './finding.js';
import { isGone } from './sessions.js';

/**
 * Orphans that are filed as they were found, and still gone at their origin. To be asked under the run lock.
 *
 * @param feeder of the sessions; undefined when no session was looked at
 */
export async function stillOrphaned(
  findings: readonly Finding[],
  palace: Palace,
  feeder: SessionOptions | undefined,
): Promise<FiledSource[]> {
  const orphans = findings.filter(({ status }) => status === 'orphaned');
  const sources = orphans.flatMap(({ sourceKey }) => palace.sources.byKey(sourceKey) ?? []);
  const ids = sources.flatMap(({ kind, sessionId }) => (kind === 'conversation' ? (sessionId ?? []) : []));
  const gone = feeder === undefined ? new Set<string>() : await isGone(ids, feeder);
  return sources.filter(({ kind, sessionId, origin }) =>
    kind === 'conversation' ? sessionId !== null && gone.has(sessionId) : !existsAs(origin),
  );
}

/** Removes sources with their drawers, leaving no mark: what comes back is filed again. Returns how many drawers left. */
export function removeOrphans(palace: Palace, sources: readonly FiledSource[]): number {
  const drawers = palace.removeAll(sources);
  for (const { projectId } of sources) if (projectId !== null) palace.projects.removeIfEmpty(projectId);
  palace.tidy();
  return drawers;
}
