import type { DrawerView, Palace } from '../store/index.js';
import type { Candidate, Lookup } from './candidates.js';

/** So many of the best are looked at in their surroundings. */
const FINALISTS = 30;
/**
 * What stands around a drawer, and what else its source says, in parts of what it says itself. (Measured on
 * three LoCoMo conversations against the drawer alone: first session right in 71 instead of 67 of 100
 * questions, turns among the first ten 75 instead of 73.)
 */
const BESIDE = 0.1;
const ELSEWHERE = 0.2;

/**
 * What speaks for a drawer besides itself, each 0–1. Words only: of meaning every large source has something
 * near, and a short one would never come first.
 */
export interface NeighbourShares {
  /** BM25 of the drawers right before and after it, on average, as a share of the best candidate's. */
  beside: number;
  /** The same of the best other candidate of its source. */
  elsewhere: number;
}

/** Relevance of a drawer that matches so well, with its neighbours. */
export function withNeighbours(match: number, { beside, elsewhere }: NeighbourShares): number {
  return (match + BESIDE * beside + ELSEWHERE * elsewhere) / (1 + BESIDE + ELSEWHERE);
}

/**
 * Looks around the best candidates: a passage whose neighbours speak of the matter too, in a source that
 * does so elsewhere, is likelier the one.
 *
 * @param matched best match first
 * @returns by drawer
 */
export function findNeighbourShares(
  palace: Palace,
  lookup: Lookup,
  matched: readonly Candidate[],
): Map<number, NeighbourShares> {
  const best = Math.max(...matched.map((candidate) => candidate.bm25), Number.MIN_VALUE);
  const share = (bm25 = 0): number => Math.min(1, bm25 / best);
  const finalists = new Set(matched.slice(0, FINALISTS).map((candidate) => candidate.drawer));
  const around = bm25Around(palace, lookup, matched, finalists);
  const leaders = leadersOf(matched);
  return new Map(
    matched.map(({ drawer }) => {
      const [first, second] = leaders.get(drawer.sourceId) ?? [];
      const other = first?.drawer === drawer ? second : first;
      const [before, after] = [-1, 1].map((step) => share(around.get(keyOf(drawer, step))));
      const beside = finalists.has(drawer) ? ((before ?? 0) + (after ?? 0)) / 2 : 0;
      return [drawer.id, { beside, elsewhere: share(other?.bm25) }] as const;
    }),
  );
}

/** BM25 of all candidates and of what stands right beside the finalists, by place. */
function bm25Around(
  palace: Palace,
  lookup: Lookup,
  matched: readonly Candidate[],
  finalists: ReadonlySet<DrawerView>,
): Map<string, number> {
  const known = new Map(matched.map(({ drawer, bm25 }) => [keyOf(drawer), bm25]));
  const unknown = new Map<number, DrawerView>();
  for (const { sourceId, chunkIndex } of finalists) {
    for (const drawer of palace.reading.drawersBetween(sourceId, chunkIndex - 1, chunkIndex + 1)) {
      if (!known.has(keyOf(drawer))) unknown.set(drawer.id, drawer);
    }
  }
  const drawers = [...unknown.values()];
  const scores = lookup.bm25(drawers);
  for (const drawer of drawers) known.set(keyOf(drawer), scores.get(drawer.id) ?? 0);
  return known;
}

function keyOf({ sourceId, chunkIndex }: DrawerView, step = 0): string {
  return `${sourceId} ${chunkIndex + step}`;
}

/** The two candidates of each source that hold most of the question's words. */
function leadersOf(matched: readonly Candidate[]): Map<number, Candidate[]> {
  const leaders = new Map<number, Candidate[]>();
  for (const candidate of [...matched].sort((a, b) => b.bm25 - a.bm25)) {
    const known = leaders.get(candidate.drawer.sourceId) ?? [];
    if (known.length < 2) leaders.set(candidate.drawer.sourceId, [...known, candidate]);
  }
  return leaders;
}
