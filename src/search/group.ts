import type { Grouping } from './options.js';
import type { Ranked } from './rank.js';

/** A hit: its best drawer, what stands beside that, and what else its source says. */
export interface Group extends Ranked {
  /** The hit's drawer and those beside it that hit too, in the order of the source. */
  passage: Ranked[];
  /** Further drawers of the same source that hit, best first; only when grouped by source. */
  more: Ranked[];
}

/** Drawers shown as one at most. */
const PASSAGE_DRAWERS = 3;
/** A drawer this much weaker than the one beside it is not shown with it. */
const BESIDE_SHARE = 0.5;

/**
 * Gathers ranked drawers into hits, best first: one for each source, or one for each run of neighbouring
 * drawers.
 *
 * @param hits found before, which stay in front and take in what belongs to them
 */
export function group(ranked: readonly Ranked[], by: Grouping, hits: Group[] = []): Group[] {
  const ofSource = new Map<number, Group[]>();
  for (const hit of hits) {
    const { sourceId } = hit.drawer;
    ofSource.set(sourceId, [...(ofSource.get(sourceId) ?? []), hit]);
  }
  for (const candidate of ranked) {
    const { sourceId, kind } = candidate.drawer;
    const bySource = by === 'source' || (by === 'auto' && kind === 'conversation');
    const siblings = ofSource.get(sourceId) ?? [];
    const beside = siblings.find((hit) => standsBeside(hit, candidate));
    const home = beside ?? (bySource ? siblings[0] : undefined);
    if (beside !== undefined) {
      beside.passage.push(candidate);
      beside.passage.sort((a, b) => a.drawer.chunkIndex - b.drawer.chunkIndex);
    } else if (home !== undefined) {
      home.more.push(candidate);
    } else {
      const hit = { ...candidate, passage: [candidate], more: [] };
      hits.push(hit);
      ofSource.set(sourceId, [...siblings, hit]);
    }
  }
  return hits;
}

function standsBeside({ score, passage }: Group, { drawer, score: other }: Ranked): boolean {
  const first = passage[0]?.drawer.chunkIndex ?? 0;
  const last = passage.at(-1)?.drawer.chunkIndex ?? 0;
  if (passage.length >= PASSAGE_DRAWERS || other < score * BESIDE_SHARE) return false;
  return drawer.chunkIndex >= first - 1 && drawer.chunkIndex <= last + 1;
}
