/** The quality of a ranking, with binary relevance: each measure is 0–1 for one question. */

/** Share (0–1) of the relevant ids among the first `k` of a ranking without repetitions. */
export function recall(ranked, relevant, k) {
  const first = new Set(ranked.slice(0, k));
  return relevant.filter((id) => first.has(id)).length / relevant.length;
}

/** Normalised discounted cumulative gain (0–1): a relevant id at rank r gains 1 / log2(r + 1). */
export function ndcg(ranked, relevant, k) {
  const wanted = new Set(relevant);
  const discount = (index) => 1 / Math.log2(index + 2);
  const gained = ranked.slice(0, k).reduce((sum, id, at) => sum + (wanted.has(id) ? discount(at) : 0), 0);
  let ideal = 0;
  for (let at = 0; at < Math.min(k, wanted.size); at += 1) ideal += discount(at);
  return gained / ideal;
}

/** 1 if a relevant id is among the first `k`. */
export const hit = (ranked, relevant, k) => ((rankOf(ranked, relevant) ?? Infinity) <= k ? 1 : 0);

/** 1 / the rank of the first relevant id, 0 if it is not among the first `k`. */
export const reciprocal = (ranked, relevant, k) => hit(ranked, relevant, k) / (rankOf(ranked, relevant) ?? 1);

/**
 * The measures of a table. `shares`: a question has evidence in several places, and counts as found by the share of them (LoCoMo's
 * "share of evidence found"). `hits`: any of the relevant ids answers the question.
 */
export const MEASURES = {
  shares: {
    'R@1': (ranked, relevant) => recall(ranked, relevant, 1),
    'R@5': (ranked, relevant) => recall(ranked, relevant, 5),
    'R@10': (ranked, relevant) => recall(ranked, relevant, 10),
    'nDCG@10': (ranked, relevant) => ndcg(ranked, relevant, 10),
  },
  hits: {
    'hit@1': (ranked, relevant) => hit(ranked, relevant, 1),
    'hit@5': (ranked, relevant) => hit(ranked, relevant, 5),
    'hit@10': (ranked, relevant) => hit(ranked, relevant, 10),
    'MRR@10': (ranked, relevant) => reciprocal(ranked, relevant, 10),
  },
};

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Every measure, averaged over questions, in per cent.
 *
 * @param {{ ranked: string[], relevant: string[] }[]} answers at least one
 * @param {keyof typeof MEASURES} [by]
 */
export function measure(answers, by = 'shares') {
  return mapValues(
    MEASURES[by],
    (of) => 100 * mean(answers.map(({ ranked, relevant }) => of(ranked, relevant))),
  );
}

export const mapValues = (object, of) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value, name)]));

/** Rank, from 1, of the first relevant id; undefined when there is none. */
export function rankOf(ranked, relevant) {
  const wanted = new Set(relevant);
  const at = ranked.findIndex((id) => wanted.has(id));
  return at === -1 ? undefined : at + 1;
}

/** The same ids, each at its first position. */
export const distinct = (ids) => [...new Set(ids)];
