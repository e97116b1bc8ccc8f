import { resolve } from 'node:path';
import type { Config } from '../../../config/index.js';
import { leftOut } from '../../../config/settings.js';
import { expandHome } from '../../../config/texts.js';
import type { Priority } from '../../../core/importance.js';
import type { Scope } from '../../../presentation/scope.js';
import type { Grouping, Ranking } from '../../../search/options.js';
import type { Input } from '../../../service/contract/index.js';
import type { CommonFlags } from '../../app/options.js';

export interface SearchFlags extends CommonFlags {
  wing?: string;
  room?: string;
  since?: string;
  until?: string;
  source?: string;
  session?: string;
  directory?: string;
  file?: string;
  type?: string;
  priority?: Priority;
  here?: boolean;
  everywhere?: boolean;
  cold?: boolean;
  rank?: Ranking;
  by?: Grouping;
  limit?: number;
  offset?: number;
  minScore?: number;
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
  const { wing, room, since, until, source, session, type, priority, offset = 0, format = 'full' } = flags;
  const { cold = false, explain = false, links = false, batch = false } = flags;
  const directory = flags.directory === undefined ? undefined : resolve(expandHome(flags.directory, home));
  const without = cold ? [] : leftOut(config.cold, flags);
  const scope: Scope | undefined = flags.here ? 'here' : flags.everywhere ? 'everywhere' : undefined;
  const file = flags.file === undefined ? undefined : expandHome(flags.file, home);
  const place = { wing, room, source, session, directory, file, without };
  const filter: Input<'find'>['filter'] = { ...place, since, until, type, priority };
  return {
    filter,
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
