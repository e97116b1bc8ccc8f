import type { Config } from '../../../config/index.js';
import { leftOut } from '../../../config/settings.js';
import type { Input } from '../../../service/contract/index.js';
import { type FilterFlags, filterOf } from '../../app/filter.js';
import type { CommonFlags } from '../../app/options.js';

export interface AddFlags extends CommonFlags, FilterFlags {
  query?: string;
  limit?: number;
  minScore?: number;
}

/** Filters replace all former ones, if any is given. */
export function addConfig(
  name: string,
  ids: readonly string[],
  flags: AddFlags,
  home: string,
): Input<'changeCollection'> {
  const { query: question, limit, minScore } = flags;
  const filter = filterOf(flags, home);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return { name, question, filter: isFiltered ? filter : undefined, limit, minScore, add: [...ids] };
}

/** Which collection a command reads. */
export function whichOf(name: string, flags: { cold?: boolean }, { cold }: Config['search']) {
  return { name, without: flags.cold === true ? [] : leftOut(cold, {}), patient: true };
}
