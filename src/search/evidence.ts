import type { DrawerView } from '../store/index.js';
import type { Candidate, Lookup } from './candidates.js';

/** Number of best candidates whose neighbours are scored. */
const FINALISTS = 30;

/** What speaks for a drawer outside of its own text. By words only: by meaning, every large source has something near. */
export interface Evidence {
  /** Average lexical score of the drawers directly before and after, as a share of the best candidate's: 0–1. */
  beside: number;
  /** Score of the words of its whole source, as a share of the best candidate's source: 0–1. */
  source: number;
  /** Drawers of its source, at least 1. */
  drawers: number;
}

export const NO_EVIDENCE: Evidence = { beside: 0, source: 0, drawers: 1 };

/** The evidence for each candidate, by drawer's row id. `matched` begins with the best match. */
export function findEvidence(lookup: Lookup, matched: readonly Candidate[]): Map<number, Evidence> {
  const best = greatest(matched.map(({ words }) => words));
  const finalists = new Set(matched.slice(0, FINALISTS).map(({ drawer }) => drawer));
  const around = wordsAround(lookup, matched, finalists);
  const sources = lookup.sourceScores(matched.map(({ drawer }) => drawer));
  const bestSource = greatest(sources.scores.values());
  return new Map(
    matched.map(({ drawer }) => {
      const [before = 0, after = 0] = [-1, 1].map((step) =>
        Math.min(1, (around.get(keyOf(drawer, step)) ?? 0) / best),
      );
      return [
        drawer.id,
        {
          beside: finalists.has(drawer) ? (before + after) / 2 : 0,
          source: (sources.scores.get(drawer.sourceId) ?? 0) / bestSource,
          drawers: sources.drawers.get(drawer.sourceId) ?? 1,
        },
      ] as const;
    }),
  );
}

/** The greatest of some scores; above 0, so that it can divide. */
export function greatest(scores: Iterable<number>): number {
  return Math.max(...scores, Number.MIN_VALUE);
}

/** Lexical scores of all candidates and of the finalists' direct neighbours, by source and position. */
function wordsAround(
  lookup: Lookup,
  matched: readonly Candidate[],
  finalists: ReadonlySet<DrawerView>,
): Map<string, number> {
  const known = new Map(matched.map(({ drawer, words }) => [keyOf(drawer), words]));
  const unknown = new Map<string, Pick<DrawerView, 'sourceId' | 'chunkIndex'>>();
  for (const drawer of finalists)
    for (const step of [-1, 1]) {
      const key = keyOf(drawer, step);
      const { sourceId, chunkIndex } = drawer;
      if (!known.has(key)) unknown.set(key, { sourceId, chunkIndex: chunkIndex + step });
    }
  const drawers = lookup.palace.reading.drawersAt([...unknown.values()]);
  const scores = lookup.lexicalScores(drawers);
  for (const drawer of drawers) known.set(keyOf(drawer), scores.get(drawer.id)?.words ?? 0);
  return known;
}

function keyOf({ sourceId, chunkIndex }: DrawerView, step = 0): string {
  return `${sourceId} ${chunkIndex + step}`;
}
