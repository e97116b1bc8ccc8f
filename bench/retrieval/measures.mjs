/**
 * The quality of a ranking, with binary relevance. A question with evidence in several places counts as
 * found by the share of them (LoCoMo's "share of evidence found"), not as found by the first.
 */

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

/** The measures of every table, by name. */
const MEASURES = {
  'R@1': (ranked, relevant) => recall(ranked, relevant, 1),
  'R@5': (ranked, relevant) => recall(ranked, relevant, 5),
  'R@10': (ranked, relevant) => recall(ranked, relevant, 10),
  'nDCG@10': (ranked, relevant) => ndcg(ranked, relevant, 10),
};

/**
 * Every measure, averaged over questions, in per cent.
 *
 * @param {{ ranked: string[], relevant: string[] }[]} answers at least one
 */
export function measure(answers) {
  const mean = (of) =>
    (100 * answers.reduce((sum, { ranked, relevant }) => sum + of(ranked, relevant), 0)) / answers.length;
  return Object.fromEntries(Object.entries(MEASURES).map(([name, of]) => [name, mean(of)]));
}

/** Rank, from 1, of the first relevant id; undefined when there is none. */
export function rankOf(ranked, relevant) {
  const wanted = new Set(relevant);
  const at = ranked.findIndex((id) => wanted.has(id));
  return at === -1 ? undefined : at + 1;
}

/** The same ids, each at its first position. */
export const distinct = (ids) => [...new Set(ids)];
