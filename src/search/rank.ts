import { importanceOf, recencyOf } from '../core/importance.js';
import type { Candidate, Lookup } from './candidates.js';
import { findNeighbourShares, type NeighbourShares, withNeighbours } from './neighbour-score.js';
import type { Ranking } from './options.js';

export interface RankOptions {
  ranking: Ranking;
  /** Shares of relevance, recency and importance in `compound`; they are scaled to a sum of 1. */
  weights: { relevance: number; recency: number; importance: number };
  /** Days in which recency halves; greater than 0. */
  halfLifeDays: number;
  /** Epoch milliseconds from which recency is counted. */
  now: number;
  /** The question could not be embedded: a match is its lexical score. */
  wordsAlone: boolean;
}

export interface Ranked extends Candidate {
  score: number;
  scores: ReturnType<typeof scoresOf>;
}

const ALONE: NeighbourShares = { beside: 0, elsewhere: 0 };
/** The constant of reciprocal rank fusion, as published. */
const FUSION = 60;

/**
 * Scores candidates and sorts them, best first. Equal scores are ordered by age in the palace, so that the order is
 * stable. (Measured on LoCoMo: the sum of scores keeps BM25's first hit, which rank fusion loses.)
 */
export function rank(lookup: Lookup, candidates: readonly Candidate[], options: RankOptions): Ranked[] {
  const best = Math.max(...candidates.map((candidate) => candidate.bm25), Number.MIN_VALUE);
  const matched = [...candidates].sort(
    (a, b) => matchOf(b, best, options) - matchOf(a, best, options) || a.drawer.id - b.drawer.id,
  );
  const byNeighbours = options.ranking === 'relevance' || options.ranking === 'compound';
  const neighbours = byNeighbours ? findNeighbourShares(lookup, matched) : undefined;
  return matched
    .map((candidate) => {
      const scores = scoresOf(candidate, best, neighbours?.get(candidate.drawer.id) ?? ALONE, options);
      return { ...candidate, scores, score: scoreOf(candidate, scores, options) };
    })
    .filter((ranked) => ranked.score > 0 || (neighbours !== undefined && ranked.places.lexical !== undefined))
    .sort((a, b) => b.score - a.score || a.drawer.id - b.drawer.id);
}

/** Half lexical (BM25 as a share of the best candidate's), half semantic; lexical where the question could not be embedded. */
function matchOf({ bm25, semantic }: Candidate, best: number, { wordsAlone }: RankOptions): number {
  return wordsAlone ? bm25 / best : (bm25 / best + semantic) / 2;
}

/** The parts of a hit's score, each 0–1 except `bm25`. */
function scoresOf(candidate: Candidate, best: number, neighbours: NeighbourShares, options: RankOptions) {
  const { drawer, bm25, semantic } = candidate;
  const match = matchOf(candidate, best, options);
  return {
    lexical: bm25 / best,
    semantic,
    bm25,
    match,
    ...neighbours,
    relevance: withNeighbours(match, neighbours),
    recency: recencyOf(drawer.day, options.now, options.halfLifeDays),
    importance: importanceOf(drawer.priority, drawer.pinned === 1),
  };
}

function scoreOf({ places }: Candidate, scores: Ranked['scores'], { ranking, weights }: RankOptions): number {
  switch (ranking) {
    case 'lexical':
      return places.lexical === undefined ? 0 : scores.lexical;
    case 'semantic':
      return places.semantic === undefined ? 0 : scores.semantic;
    case 'fusion':
      return ((reciprocal(places.lexical) + reciprocal(places.semantic)) * (FUSION + 1)) / 2;
    case 'compound': {
      const { relevance, recency, importance } = weights;
      const sum = relevance * scores.relevance + recency * scores.recency + importance * scores.importance;
      return sum / (relevance + recency + importance);
    }
    default:
      return scores.relevance;
  }
}

function reciprocal(place: number | undefined): number {
  return place === undefined ? 0 : 1 / (FUSION + place + 1);
}
