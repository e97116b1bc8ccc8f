import { resolve } from 'node:path';
import type { Config } from '../../../config/index.js';
import { leftOut } from '../../../config/settings.js';
import { expandHome } from '../../../config/texts.js';
import { parseDay } from '../../../core/moment.js';
import type { Grouping, Ranking } from '../../../search/options.js';
import type { DrawerFilter } from '../../../store/index.js';
import type { CommonFlags } from '../../app/options.js';

export interface SearchFlags extends CommonFlags {
  wing?: string;
  room?: string;
  since?: string;
  until?: string;
  source?: string;
  session?: string;
  directory?: string;
  cold?: boolean;
  rank?: Ranking;
  by?: Grouping;
  limit?: number;
  offset?: number;
  minScore?: number;
  format?: Format;
  explain?: boolean;
  links?: boolean;
  batch?: boolean;
  /** Commander's negation of --no-pager. */
  pager: boolean;
}

type Format = 'full' | 'index';

export interface SearchConfig {
  filter: DrawerFilter;
  ranking: Ranking;
  by: Grouping;
  limit: number;
  offset: number;
  minScore: number;
  weights: Config['search']['weights'];
  halfLifeDays: number;
  format: Format;
  explain: boolean;
  /** List the documents that the hits refer to with `[[links]]`. */
  links: boolean;
  batch: boolean;
}

/**
 * Flags override the configuration.
 *
 * @throws UserError `usage`
 */
export function searchConfig(
  flags: SearchFlags,
  config: Config['search'],
  { now, home }: { now: Date; home: string },
): SearchConfig {
  return {
    filter: {
      wing: flags.wing,
      room: flags.room,
      since: parseDay('--since', flags.since, now),
      until: parseDay('--until', flags.until, now),
      source: flags.source,
      session: flags.session,
      directory: flags.directory === undefined ? undefined : resolve(expandHome(flags.directory, home)),
      without: flags.cold === true ? [] : leftOut(config.cold, flags),
    },
    ranking: flags.rank ?? config.rank,
    by: flags.by ?? config.by,
    limit: flags.limit ?? config.limit,
    offset: flags.offset ?? 0,
    minScore: flags.minScore ?? config.minScore,
    weights: config.weights,
    halfLifeDays: config.halfLifeDays,
    format: flags.format ?? 'full',
    explain: flags.explain === true,
    links: flags.links === true,
    batch: flags.batch === true,
  };
}
