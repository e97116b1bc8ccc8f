import { digest } from '../../broker/address.js';
import type { Config } from '../../config/index.js';
import { snakeNamed } from '../../core/case.js';
import { modelsFolder } from '../../embedding/models-folder.js';
import type { Folders } from '../../platform/folders.js';

/** Two time zones are the same if their offsets are equal in each month of these years. */
const [FIRST_YEAR, LAST_YEAR] = [2020, 2031];
/** Matters for a model behind an endpoint only. */
export const ENDPOINT_KEY = 'key of the endpoint';

/**
 * What clients of one broker must have in common to get the same answers, as digests by name. Resolved
 * settings are compared, not variables: one that repeats a setting or a default makes no difference.
 */
export function sharedSettings(
  config: Config,
  folders: Pick<Folders, 'home' | 'cache' | 'data' | 'config'>,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const { origins: _, broker: _own, palace: _place, timezone: _resolved, ...settings } = config;
  const named: Record<string, unknown> = {
    ...flat(settings, ''),
    'home folder': folders.home,
    'cache folder': folders.cache,
    'data folder': folders.data,
    'configuration folder': folders.config,
    'folder of models': modelsFolder(env),
    'time zone': offsets(),
    [ENDPOINT_KEY]: env.MEMPALACE_API_KEY || env.OPENAI_API_KEY || '',
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name, digest(JSON.stringify(value))]),
  );
}

/** Settings by their full names: `search.min_score`. */
function flat(settings: object, group: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(snakeNamed(settings)).flatMap(([name, value]) => {
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isGroup ? Object.entries(flat(value, `${group}${name}.`)) : [[`${group}${name}`, value]];
    }),
  );
}

/** The offsets of the user's time zone, minutes, per month. To read its name would load the data of all zones: 50 ms. */
function offsets(): number[] {
  const months = (LAST_YEAR - FIRST_YEAR + 1) * 12;
  return Array.from({ length: months }, (_, month) => new Date(FIRST_YEAR, month, 15).getTimezoneOffset());
}
