import { textPart } from '../../core/parts.js';
import type { Entry, Turn } from './turns.js';

/** A message of a conversation in which people go back and say something else. */
export interface TreeNode {
  id: string;
  /** Undefined, or unknown, of a first message. */
  parent: string | undefined;
  /** What it says; nothing of a node that only holds others together. */
  entries: readonly Entry[];
}

interface Step {
  node: TreeNode;
  /** The turns before the place where its branch begins, and which of the branches there it is. */
  branch: { after: number; number: number } | undefined;
  /** Number of the last turn before it. */
  after: number;
}

/**
 * Every message of a tree once: the first branch to its end, then the others, each from where it leaves those before.
 * The first turn of such a branch begins with a line that says so. Branches are in the order of `nodes`.
 */
export function* inBranches(nodes: readonly TreeNode[]): Generator<Entry> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<string | undefined, TreeNode[]>();
  for (const node of nodes) {
    const parent = node.parent !== undefined && byId.has(node.parent) ? node.parent : undefined;
    const there = children.get(parent);
    if (there === undefined) children.set(parent, [node]);
    else there.push(node);
  }
  const seen = new Set<string>();
  let turns = 0;
  const walk = function* (roots: readonly TreeNode[]): Generator<Entry> {
    const steps: Step[] = [...roots].reverse().map((node) => ({ node, branch: undefined, after: 0 }));
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { node } = step;
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      let { branch, after } = step;
      for (const entry of node.entries) {
        if (entry.kind !== 'turn') {
          yield entry;
          continue;
        }
        turns += 1;
        after = turns;
        yield branch === undefined ? entry : marked(entry, branch);
        branch = undefined;
      }
      const next = children.get(node.id) ?? [];
      for (let at = next.length - 1; at >= 0; at -= 1) {
        const child = next[at];
        if (child !== undefined)
          steps.push({ node: child, branch: at === 0 ? branch : { after, number: at + 1 }, after });
      }
    }
  };
  yield* walk(children.get(undefined) ?? []);
  // What is only its own ancestor hangs from nothing.
  for (const node of nodes) if (!seen.has(node.id)) yield* walk([node]);
}

function marked(turn: Turn, { after, number }: NonNullable<Step['branch']>): Entry {
  const from = after === 0 ? 'from the beginning' : `after message ${after}`;
  return { ...turn, parts: [textPart(`[branch ${number}, ${from}]`), ...turn.parts] };
}
