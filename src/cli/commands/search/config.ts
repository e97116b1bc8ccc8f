import { resolve } from 'node:path';
import { leftOut } from '../../../config/cold.js';
import type { Config } from '../../../config/index.js';
import { expandHome } from '../../../config/texts.js';
import { UserError } from '../../../core/errors.js';
import { parseDay } from '../../../core/moment.js';
import { GROUPINGS, type Grouping, RANKINGS, type Ranking } from '../../../search/options.js';
import type { DrawerFilter } from '../../../store/index.js';
import { parseCount } from '../../app/durations.js';
import { FORMATS, type SearchFlags } from './flags.js';

export interface SearchConfig {
  filter: DrawerFilter;
  ranking: Ranking;
  by: Grouping;
  limit: number;
  offset: number;
  minScore: number;
  weights: Config['search']['weights'];
  halfLifeDays: number;
  format: (typeof FORMATS)[number];
  explain: boolean;
  /** Say where the documents of hits lead with `[[links]]`. */
  links: boolean;
  /** One question a line on stdin, one JSON document a line on stdout. */
  batch: boolean;
}

/**
 * What a search does: flags over configuration.
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
    ranking: flags.rank === undefined ? config.rank : oneOf('--rank', flags.rank, RANKINGS),
    by: flags.by === undefined ? config.by : oneOf('--by', flags.by, GROUPINGS),
    limit: flags.limit === undefined ? config.limit : parseCount('--limit', flags.limit, 1),
    offset: flags.offset === undefined ? 0 : parseCount('--offset', flags.offset, 0),
    minScore: flags.minScore === undefined ? config.minScore : shareOf('--min-score', flags.minScore),
    weights: config.weights,
    halfLifeDays: config.halfLifeDays,
    format: flags.format === undefined ? 'full' : oneOf('--format', flags.format, FORMATS),
    explain: flags.explain === true,
    links: flags.links === true,
    batch: flags.batch === true,
  };
}

function oneOf<const T extends string>(flag: string, text: string, values: readonly T[]): T {
  const value = values.find((known) => known === text);
  if (value !== undefined) return value;
  throw new UserError('usage', `${flag} takes one of ${values.join(', ')}, not "${text}"`);
}

function shareOf(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new UserError('usage', `${flag} takes a number from 0 to 1, not "${text}"`);
}
