import type { Embedder } from '../miner/embed/index.js';
import { conditionOf, type DrawerFilter, type Palace } from '../store/index.js';
import { Lookup } from './candidates.js';
import { findCompany } from './company.js';
import { type Hit, withFocus } from './focus.js';
import { type Grouping, group } from './group.js';
import { parseQuery } from './query.js';
import { type RankOptions, rank } from './rank.js';

export interface SearchOptions extends Partial<RankOptions> {
  palace: Palace;
  embedder: Embedder;
  question: string;
  filter?: DrawerFilter;
  /** Default `auto`. */
  by?: Grouping;
  /** Hits wanted, at least 1. */
  limit: number;
  /** Hits skipped. */
  offset?: number;
  /** Hits with a lower score are left out. */
  minScore?: number;
}

/** Candidates taken from each half, more only while too few hits come of them. */
const CANDIDATES = 50;
const CANDIDATES_AT_MOST = 4_096;

export const DEFAULT_WEIGHTS = { relevance: 0.5, recency: 0.25, importance: 0.25 };
export const DEFAULT_HALF_LIFE_DAYS = 30;

/** Finds drawers by words and by meaning, best first. The palace is read in one state of it. */
export async function search(options: SearchOptions): Promise<Hit[]> {
  const { palace, embedder, limit, offset = 0 } = options;
  const query = parseQuery(options.question);
  const [vector] = await embedder.embed([query.meaning], 'query');
  if (vector === undefined) return [];
  const among = conditionOf(options.filter ?? {});
  const wanted = offset + limit;
  // A run may give the slot of a vector to another text at any moment.
  return palace.snapshot(() => {
    const lookup = new Lookup(palace, query, vector);
    for (let count = Math.min(Math.max(CANDIDATES, wanted), CANDIDATES_AT_MOST); ; count *= 4) {
      const candidates = lookup.find(Math.min(count, CANDIDATES_AT_MOST), among);
      const ranked = rank(candidates, settled(options), (matched) => findCompany(palace, lookup, matched));
      const hits = group(ranked, options.by ?? 'auto');
      if (hits.length >= wanted || candidates.length < count || count >= CANDIDATES_AT_MOST) {
        const good = hits.filter((hit) => hit.score >= (options.minScore ?? 0));
        return withFocus(good.slice(offset, wanted), lookup);
      }
    }
  });
}

function settled(options: SearchOptions): RankOptions {
  return {
    ranking: options.ranking ?? 'relevance',
    weights: options.weights ?? DEFAULT_WEIGHTS,
    halfLifeDays: options.halfLifeDays ?? DEFAULT_HALF_LIFE_DAYS,
    now: options.now ?? Date.now(),
  };
}
