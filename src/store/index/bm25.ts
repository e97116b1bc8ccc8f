/** The constants of a BM25 score. */
export interface Bm25 {
  /** How much a repeated term counts: 0 not at all. */
  k1: number;
  /** How much a long text is discounted: 0–1. */
  b: number;
}

/** FTS5's constants. */
export const FTS5: Bm25 = { k1: 1.2, b: 0.75 };
/**
 * For drawers and sources in the score of relevance: a passage that repeats a word is hardly a better answer. (k1 between
 * 0.4 and 1.2 changes the mean reciprocal rank of a development set by a point at most.)
 */
export const SATURATED: Bm25 = { k1: 0.6, b: 0.75 };

/** FTS5's minimum, for terms that more than half of the texts contain. */
const LEAST_IDF = 1e-6;

/** Inverse document frequency of a term in `matching` of `all` texts, as in FTS5. */
export function idf(matching: number, all: number): number {
  return Math.max(Math.log((all - matching + 0.5) / (matching + 0.5)), LEAST_IDF);
}

/**
 * A flatter weight: the square root of BM25's IDF. A passage that contains most words of a question then precedes one that
 * repeats the rarest of them. (Documents, 104 questions: first file right in 75 instead of 67 of 100.)
 */
export function flatIdf(matching: number, all: number): number {
  return Math.sqrt(Math.log1p((all - matching + 0.5) / (matching + 0.5)));
}

/**
 * The share of a term in a BM25 score, without its IDF.
 *
 * @param relativeLength of the text: 1 is the average
 */
export function saturation(frequency: number, relativeLength: number, { k1, b }: Bm25): number {
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relativeLength));
}
