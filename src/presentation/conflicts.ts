import { NOTICE } from '../core/outside.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';
import { factFor, factJson } from './facts.js';

type Conflict = Output<'conflicts'>['conflicts'][number];
type Resolved = Output<'resolveConflict'>;

function conflictJson({ subject, predicate, facts }: Conflict, now: Date) {
  return { subject, predicate, facts: facts.map((fact) => factJson(fact, now)) };
}

/** Facts that contradict each other now, for programs. */
export function conflictsDocument({ conflicts }: Output<'conflicts'>, now: Date): Document<'conflicts'> {
  return { notice: NOTICE, conflicts: conflicts.map((each) => conflictJson(each, now)) };
}

/** The same for an agent, without empty fields. */
export function conflictFor({ subject, predicate, facts }: Conflict, now: Date) {
  return { subject, predicate, facts: facts.map((fact) => factFor(fact, now)) };
}

/** How a conflict was resolved, for an agent. */
export function resolvedJson({ kept, ended, at, sourceKey, drawerIds, redacted }: Resolved, now: Date) {
  return {
    kept: factJson(kept, now),
    ended: factJson(ended, now),
    at,
    source_key: sourceKey,
    drawers: drawerIds,
    redacted,
  };
}

/** The same for programs. */
export function resolvedDocument(resolved: Resolved, now: Date): Document<'kgResolve'> {
  return { command: 'mempalace kg', notice: NOTICE, ...resolvedJson(resolved, now) };
}
