import { importanceOf, recencyOf } from '../core/importance.js';
import type { DrawerView, LexicalScore } from '../store/index.js';
import type { Candidate, Lookup } from './candidates.js';
import { type Evidence, findEvidence, greatest, NO_EVIDENCE } from './evidence.js';
import type { Ranking } from './options.js';
import type { TimeRange } from './time/range.js';
import { timeScore } from './time/score.js';

export interface RankOptions {
  ranking: Ranking;
  /** Shares of relevance, recency and importance in `compound`; they are scaled to a sum of 1. */
  weights: { relevance: number; recency: number; importance: number };
  /** Days in which recency halves; greater than 0. */
  halfLifeDays: number;
  /** Epoch milliseconds from which recency is counted. */
  now: number;
  /** Times that the question names. */
  times: readonly TimeRange[];
  /** Row ids of candidates that belong to the user's project; empty without a preference. */
  here: ReadonlySet<number>;
}

export interface Ranked extends Candidate {
  score: number;
  scores: ReturnType<typeof scoresOf>;
}

/**
 * The weights of relevance. Words and meaning together are 1: a match of both is 1 at most, and what speaks for it outside
 * of its text is added. The best of n drawers matches better by chance alone: of n random numbers the greatest grows with
 * √(ln n), and that much, times `LENGTH`, is taken off. (Tuned on the sets of `npm run bench:retrieval`; bench/README.md
 * lists how the numbers change them.)
 */
const WORDS = 0.35;
const MEANING = 0.65;
const BESIDE = 0.1;
const SOURCE = 0.1;
const LENGTH = 0.08;
/** Of configuration and generated text. For prose, reference and changelogs, no number above or below 0 is better. */
const MACHINE = 0.05;
/** Of a question that names a time. */
const TIME = 0.3;
/** What the user's project adds to a score, as a share of what is missing to 1. (Measured: bench/README.md.) */
const HERE = 0.08;

/** The constant of reciprocal rank fusion, as published. */
const FUSION = 60;

/**
 * Scores candidates and sorts them, best first. Equal scores are ordered by age in the palace, so that the order is
 * stable. (Measured on LoCoMo: the sum of scores keeps BM25's first hit, which rank fusion loses.)
 */
export function rank(lookup: Lookup, candidates: readonly Candidate[], options: RankOptions): Ranked[] {
  const best = {
    bm25: greatest(candidates.map(({ bm25 }) => bm25)),
    words: greatest(candidates.map(({ words }) => words)),
    // 1 if none was compared by meaning: a match is then its words.
    semantic: Math.max(0, ...candidates.map(({ semantic = 0 }) => semantic)) || 1,
  };
  const matched = [...candidates].sort(
    (a, b) => matchOf(b, best) - matchOf(a, best) || a.drawer.id - b.drawer.id,
  );
  const byEvidence = options.ranking === 'relevance' || options.ranking === 'compound';
  const evidence = byEvidence ? findEvidence(lookup, matched) : undefined;
  return matched
    .map((candidate) => {
      const scores = scoresOf(candidate, best, evidence?.get(candidate.drawer.id) ?? NO_EVIDENCE, options);
      return { ...candidate, scores, score: withHere(scoreOf(candidate, scores, options), scores.here) };
    })
    .filter((ranked) => ranked.score > 0 || (evidence !== undefined && ranked.places.lexical !== undefined))
    .sort((a, b) => b.score - a.score || a.drawer.id - b.drawer.id);
}

/** The greatest scores of the candidates. */
type Best = LexicalScore & { semantic: number };

/**
 * Words as a share of the best candidate's, and meaning. One without a vector is taken to be as near, compared with the
 * nearest, as its words are good. (61 questions, half of the sources without a vector: mean reciprocal rank 0.46 if their
 * meaning counts as 0, 0.44 if only their words count, 0.50 so.)
 */
function matchOf({ words, semantic }: Candidate, best: Best): number {
  const share = words / best.words;
  return WORDS * share + MEANING * (semantic ?? share * best.semantic);
}

/** The parts of a hit's score, each 0–1 except `bm25` and `drawers`; `time` only for a question that names a time. */
function scoresOf(candidate: Candidate, best: Best, evidence: Evidence, options: RankOptions) {
  const { drawer, bm25, words, semantic = 0 } = candidate;
  const match = matchOf(candidate, best);
  const time = options.times.length === 0 ? undefined : timeScore(options.times, drawer);
  return {
    lexical: bm25 / best.bm25,
    semantic,
    bm25,
    words: words / best.words,
    match,
    ...evidence,
    ...(time === undefined ? {} : { time }),
    relevance: relevanceOf(match, evidence, time, drawer.textKind),
    recency: recencyOf(drawer.day, options.now, options.halfLifeDays),
    importance: importanceOf(drawer.priority, drawer.pinned === 1),
    here: options.here.has(drawer.id) ? 1 : 0,
  };
}

/** The formula of docs/search.md: 0–1. `time` counts only for a question that names a time. */
function relevanceOf(
  match: number,
  { beside, source, drawers }: Evidence,
  time: number | undefined,
  kind: DrawerView['textKind'],
): number {
  const chance = LENGTH * Math.sqrt(Math.log(drawers));
  const machine = kind === 'config' || kind === 'generated' ? MACHINE : 0;
  const sum = match + BESIDE * beside + SOURCE * source + TIME * (time ?? 0) - chance - machine;
  return Math.max(0, sum) / (1 + BESIDE + SOURCE + (time === undefined ? 0 : TIME));
}

/**
 * How well a passage matches a question, 0 and more. The parts of relevance are shares of the best candidate's, so that one
 * word in common can make a passage the best; this is not compared with others.
 *
 * @param covered share of the question's words in the passage; rare words count more, words that the palace lacks most
 * @param scores.semantic 0: the meaning was not compared, or says nothing
 */
export function strengthOf(covered: number, { semantic, time = 0 }: Ranked['scores']): number {
  return (semantic > 0 ? WORDS * covered + MEANING * semantic : covered) + TIME * time;
}

function withHere(score: number, here: number): number {
  return score === 0 ? 0 : score + HERE * here * (1 - score);
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
