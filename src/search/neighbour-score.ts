import { groupBy } from '../core/group-by.js';
import type { DrawerView } from '../store/index.js';
import type { Candidate, Lookup } from './candidates.js';

/** Number of best candidates whose neighbours are scored. */
const FINALISTS = 30;
/**
 * Weights of a drawer's neighbours and of the rest of its source, relative to the drawer itself. (Measured on three
 * LoCoMo conversations against the drawer alone: first session right in 71 instead of 67 of 100 questions, turns among
 * the first ten 75 instead of 73.)
 */
const BESIDE = 0.1;
const ELSEWHERE = 0.2;

/**
 * Scores from around a drawer, each 0–1. By words only: by meaning every large source has something near, and a short one
 * would never come first.
 */
export interface NeighbourShares {
  /** Average BM25 of the drawers directly before and after, as a share of the best candidate's. */
  beside: number;
  /** The same for the best other candidate of its source. */
  elsewhere: number;
}

/** Relevance of a drawer: its match combined with its neighbours' shares. */
export function withNeighbours(match: number, { beside, elsewhere }: NeighbourShares): number {
  return (match + BESIDE * beside + ELSEWHERE * elsewhere) / (1 + BESIDE + ELSEWHERE);
}

/**
 * Scores the neighbours of the best candidates, by drawer's row id: a passage is likelier right when its neighbours or
 * its source match too. `matched` begins with the best match.
 */
export function findNeighbourShares(
  lookup: Lookup,
  matched: readonly Candidate[],
): Map<number, NeighbourShares> {
  const best = Math.max(...matched.map((candidate) => candidate.bm25), Number.MIN_VALUE);
  const share = (bm25 = 0): number => Math.min(1, bm25 / best);
  const finalists = new Set(matched.slice(0, FINALISTS).map((candidate) => candidate.drawer));
  const around = bm25Around(lookup, matched, finalists);
  const sorted = [...matched].sort((a, b) => b.bm25 - a.bm25);
  const ofSource = groupBy(sorted, ({ drawer }) => drawer.sourceId);
  return new Map(
    matched.map(({ drawer }) => {
      const [first, second] = ofSource.get(drawer.sourceId) ?? [];
      const other = first?.drawer === drawer ? second : first;
      const [before, after] = [-1, 1].map((step) => share(around.get(keyOf(drawer, step))));
      const beside = finalists.has(drawer) ? ((before ?? 0) + (after ?? 0)) / 2 : 0;
      return [drawer.id, { beside, elsewhere: share(other?.bm25) }] as const;
    }),
  );
}

/** BM25 of all candidates and of the finalists' direct neighbours, by source and position. */
function bm25Around(
  lookup: Lookup,
  matched: readonly Candidate[],
  finalists: ReadonlySet<DrawerView>,
): Map<string, number> {
  const known = new Map(matched.map(({ drawer, bm25 }) => [keyOf(drawer), bm25]));
  const unknown = new Map<number, DrawerView>();
  for (const { sourceId, chunkIndex } of finalists) {
    for (const drawer of lookup.palace.reading.drawersBetween(sourceId, chunkIndex - 1, chunkIndex + 1)) {
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
