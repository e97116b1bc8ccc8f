/** Orders of candidates; the last three serve for comparison. */
export const RANKINGS = ['relevance', 'compound', 'lexical', 'semantic', 'fusion'] as const;
export type Ranking = (typeof RANKINGS)[number];

/** Whether an order compares meanings, for which the question is embedded. */
export function usesMeaning(ranking: Ranking): boolean {
  return ranking !== 'lexical';
}

/** Whether an order prefers the user's project; those that only serve for comparison do not. */
export function takesPreference(ranking: Ranking): boolean {
  return ranking !== 'semantic' && ranking !== 'fusion';
}

/** Whether a hit is a source with its best passage, or a passage. */
export const GROUPINGS = ['source', 'drawer'] as const;
export type Grouping = (typeof GROUPINGS)[number];
