import type { Scope } from '../../sanitiser/index.js';
import type { Fork, ForkDecision, KnownSession } from './forks.js';
import type { WorkItem } from './options.js';
import { transcriptOf } from './transcript-of.js';

/**
 * Groups each session with its sub-agents and its copies, transitively.
 *
 * @returns maps a session id to the id that represents its group
 */
export function findTrees(
  sessions: ReadonlyMap<string, KnownSession>,
  forks: ReadonlyMap<string, Fork>,
): (id: string) => string {
  const above = new Map<string, string>();
  const rootOf = (id: string): string => {
    const next = above.get(id);
    if (next === undefined) return id;
    const root = rootOf(next);
    above.set(id, root);
    return root;
  };
  const join = (one: string, other: string) => {
    const [from, to] = [rootOf(one), rootOf(other)];
    if (from !== to) above.set(from, to);
  };
  for (const [id, { row }] of sessions) {
    const parent = row.parent_id ?? '';
    if (sessions.has(parent)) join(id, parent);
    for (const { row: original } of forks.get(id)?.originals ?? []) join(id, original.id);
  }
  return rootOf;
}

/** Adds the secrets of a session to the scope. */
export async function learnSession(
  item: WorkItem,
  decision: ForkDecision,
  scope: Scope,
  signal?: AbortSignal,
): Promise<void> {
  const { lines } = await transcriptOf(item, decision, scope);
  for await (const _ of lines) signal?.throwIfAborted();
}
