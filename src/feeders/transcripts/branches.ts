import { groupBy } from '../../core/group-by.js';
import { textPart } from '../../core/parts.js';
import { beginningOf, eachPiece, identifyEach, nameOf } from './exported.js';
import type { Harness, Identity } from './harness.js';
import { type Entry, malformed, type Turn, titled } from './turns.js';

export interface TreeNode {
  id: string;
  /** Undefined or an unknown id for a first message. */
  parent: string | undefined;
  /** Empty for a node that only connects others. */
  entries: readonly Entry[];
}

interface Step {
  node: TreeNode;
  /** Set until the first turn of a later branch: the number of turns before the fork, and the branch's own number. */
  branch: { after: number; number: number } | undefined;
  /** Number of the last turn on the path to this node. */
  after: number;
}

interface TreeConversation {
  identity: Identity;
  title: string | undefined;
  nodes(): TreeNode[];
}

/** Defines a reader of exports. @param parse returns the reason if it is not a conversation */
export function treeExport(
  given: Pick<Harness, 'name' | 'label'> & { recognises(items: unknown[], document: unknown): boolean },
  parse: (json: unknown) => TreeConversation | string,
): Harness {
  const identityOf = (json: unknown) => {
    const read = parse(json);
    return typeof read === 'string' ? undefined : read.identity;
  };
  const entriesOf = function* (json: unknown): Generator<Entry> {
    const read = parse(json);
    if (typeof read === 'string') yield malformed(`${nameOf(json)}: ${read}`);
    else yield* [...titled(read.title), ...inBranches(read.nodes())];
  };
  return {
    name: given.name,
    label: given.label,
    patterns: ['**/*.json'],
    recognises(head) {
      const { items, document } = beginningOf(head);
      return given.recognises(items, document);
    },
    identify: (head) => identifyEach(head, identityOf),
    read: (files) => eachPiece(files, entriesOf),
  };
}

/**
 * Every message of a tree once: the first branch to its end, then each other branch from its fork.
 * The first turn of a later branch begins with a marker line. Branches are in the order of `nodes`.
 */
function* inBranches(nodes: readonly TreeNode[]): Generator<Entry> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = groupBy(nodes, ({ parent }) => (byId.has(parent ?? '') ? parent : undefined));
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
  // A cycle has no root.
  for (const node of nodes) if (!seen.has(node.id)) yield* walk([node]);
}

function marked(turn: Turn, { after, number }: NonNullable<Step['branch']>): Entry {
  const from = after === 0 ? 'from the beginning' : `after message ${after}`;
  return { ...turn, parts: [textPart(`[branch ${number}, ${from}]`), ...turn.parts] };
}
