import { resolve } from 'node:path';
import type { z } from 'zod';
import { expandHome } from '../../config/texts.js';
import type { drawerFilter } from '../../core/drawer-filter.js';
import type { Priority } from '../../core/importance.js';

/** Flags that say which drawers a search may find. */
export interface FilterFlags {
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
}

/** The conditions of a search; those that were not given are undefined. */
export function filterOf(
  { wing, room, since, until, source, session, type, priority, ...flags }: FilterFlags,
  home: string,
): z.infer<typeof drawerFilter> {
  const directory = flags.directory === undefined ? undefined : resolve(expandHome(flags.directory, home));
  const file = flags.file === undefined ? undefined : expandHome(flags.file, home);
  return { wing, room, since, until, source, session, directory, file, type, priority };
}
