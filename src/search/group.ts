import { groupBy } from '../core/group-by.js';
import type { Grouping } from './options.js';
import type { Ranked } from './rank.js';

/** A hit: its best drawer, adjacent drawers, and other matches of its source. */
export interface Group extends Ranked {
  /** The hit's drawer and adjacent drawers that match too, in the order of the source. */
  passage: Ranked[];
  /** Further matching drawers of the same source, best first; only when grouped by source. */
  more: Ranked[];
}

/** A hit with its most relevant line. */
export interface Hit extends Group {
  /** How well its drawer matches by itself, whatever the others: see `strengthOf`. */
  strength: number;
  /** 1-based lines of the source, within the hit's drawer; absent when no line contains a word of the question. */
  focus?: { lineStart: number; lineEnd: number };
}

/** Adjacent drawers shown as one hit, at most. */
const PASSAGE_DRAWERS = 3;
/** A drawer with a smaller share of its neighbour's score is not shown with it. */
const ADJACENT_SHARE = 0.5;

/**
 * Groups ranked drawers into hits, best first: one per source, or one per run of adjacent drawers.
 *
 * @param hits found before; they stay in front, and matching drawers are added to them
 */
export function group(ranked: readonly Ranked[], by: Grouping, hits: Group[] = []): Group[] {
  const ofSource = groupBy(hits, ({ drawer }) => drawer.sourceId);
  for (const candidate of ranked) {
    const { sourceId } = candidate.drawer;
    const siblings = ofSource.get(sourceId) ?? [];
    const adjacent = siblings.find((hit) => isAdjacent(hit, candidate));
    const home = adjacent ?? (by === 'source' ? siblings[0] : undefined);
    if (adjacent !== undefined) {
      adjacent.passage.push(candidate);
      adjacent.passage.sort((a, b) => a.drawer.chunkIndex - b.drawer.chunkIndex);
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

function isAdjacent({ score, passage }: Group, { drawer, score: other }: Ranked): boolean {
  const first = passage[0]?.drawer.chunkIndex ?? 0;
  const last = passage.at(-1)?.drawer.chunkIndex ?? 0;
  if (passage.length >= PASSAGE_DRAWERS || other < score * ADJACENT_SHARE) return false;
  return drawer.chunkIndex >= first - 1 && drawer.chunkIndex <= last + 1;
}
