import type { Config } from '../../../config/index.js';
import { leftOut } from '../../../config/settings.js';
import type { Scope } from '../../../presentation/scope.js';
import type { Grouping, Ranking } from '../../../search/options.js';
import type { Input } from '../../../service/contract/index.js';
import { type FilterFlags, filterOf } from '../../app/filter.js';
import type { CommonFlags } from '../../app/options.js';

export interface SearchFlags extends CommonFlags, FilterFlags {
  here?: boolean;
  everywhere?: boolean;
  cold?: boolean;
  rank?: Ranking;
  by?: Grouping;
  limit?: number;
  offset?: number;
  minScore?: number;
  not?: string[];
  format?: 'full' | 'index';
  explain?: boolean;
  links?: boolean;
  batch?: boolean;
  /** Commander's negation of --no-pager. */
  pager: boolean;
}

export type SearchConfig = ReturnType<typeof searchConfig>;

/** Flags override the configuration. */
export function searchConfig(flags: SearchFlags, config: Config['search'], home: string) {
  const { offset = 0, format = 'full' } = flags;
  const { cold = false, explain = false, links = false, batch = false } = flags;
  const without = cold ? [] : leftOut(config.cold, flags);
  const scope: Scope | undefined = flags.here ? 'here' : flags.everywhere ? 'everywhere' : undefined;
  const filter: Input<'find'>['filter'] = { ...filterOf(flags, home), without };
  return {
    filter,
    excluded: flags.not,
    scope,
    ranking: flags.rank ?? config.rank,
    by: flags.by ?? config.by,
    limit: flags.limit ?? config.limit,
    offset,
    minScore: flags.minScore ?? config.minScore,
    weights: config.weights,
    halfLifeDays: config.halfLifeDays,
    format,
    explain,
    links,
    batch,
  };
}
