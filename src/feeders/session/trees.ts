import type { Scope } from '../../sanitiser/index.js';
import type { Fork, ForkDecision, KnownSession } from './forks.js';
import type { WorkItem } from './options.js';
import { transcriptOf } from './transcript-of.js';

/**
 * Which sessions belong together: one, those that it started, and those that copied from it, and so on.
 *
 * @returns by session id, the id of one session of its tree
 */
export function findTrees(
  sessions: ReadonlyMap<string, KnownSession>,
  forks: ReadonlyMap<string, Fork>,
): (id: string) => string {
  const above = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let next = above.get(root); next !== undefined; next = above.get(root)) root = next;
    for (let at = id; at !== root; ) {
      const next = above.get(at) ?? root;
      above.set(at, root);
      at = next;
    }
    return root;
  };
  const join = (one: string, other: string) => {
    const [from, to] = [rootOf(one), rootOf(other)];
    if (from !== to) above.set(from, to);
  };
  for (const [id, { row }] of sessions) {
    const parent = row.parent_id;
    if (parent !== null && parent !== undefined && sessions.has(parent)) join(id, parent);
    for (const { row: original } of forks.get(id)?.originals ?? []) join(id, original.id);
  }
  return rootOf;
}

/** Items by tree, each list in the order of the items. */
export function byTree(items: readonly WorkItem[]): Map<string, WorkItem[]> {
  const trees = new Map<string, WorkItem[]>();
  for (const item of items) {
    const tree = trees.get(item.tree);
    if (tree === undefined) trees.set(item.tree, [item]);
    else tree.push(item);
  }
  return trees;
}

/** Remembers the secrets of a session. */
export async function learnSession(
  item: WorkItem,
  decision: ForkDecision,
  scope: Scope,
  signal?: AbortSignal,
): Promise<void> {
  const { lines } = await transcriptOf(item, decision, scope);
  for await (const _ of lines) signal?.throwIfAborted();
}
