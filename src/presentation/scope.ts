import { UserError } from '../core/errors.js';
import { line } from '../core/outside.js';
import { locate } from '../platform/checkout.js';
import { projectsAround } from '../search/index.js';
import { type Ranking, takesPreference } from '../search/options.js';
import type { DrawerFilter, Palace, ProjectPlace } from '../store/index.js';

/** How far a search looks: only in the user's project, or everywhere without a preference for it. */
export const SCOPES = ['here', 'everywhere'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where to search, and what comes first there. */
export interface Scoped {
  filter: DrawerFilter;
  preferred: ProjectPlace[];
  /** Says that a project is preferred. */
  notes: string[];
}

/** A filter by one of these names a place: the user has chosen, and nothing is preferred. */
const PLACES = ['wing', 'room', 'source', 'session', 'directory'] as const;

interface Where {
  /** The working folder, or those that a client works in. */
  folders: readonly string[];
  /** Undefined: the project is preferred, unless the filter names a place. */
  scope: Scope | undefined;
  ranking: Ranking;
  /** How to search everything alike. */
  cure: string;
}

/**
 * Restricts a search to the filed project that contains the user's folders, or prefers it.
 *
 * @throws UserError `not-found` for `here` when no folder is in a filed project
 */
export function scopeOf(
  palace: Palace,
  filter: DrawerFilter,
  { folders, scope, ranking, cure }: Where,
): Scoped {
  const alike = { filter, preferred: [], notes: [] };
  if (scope === 'everywhere') return alike;
  const isPlaced = PLACES.some((place) => filter[place] !== undefined);
  if (scope === undefined && (isPlaced || !takesPreference(ranking))) return alike;
  const locations = folders.flatMap((folder) => locate(folder) ?? []);
  const projects = projectsAround(palace.projects.all(), locations);
  const wings = [...new Set(projects.map(({ wing }) => wing))];
  if (scope === 'here') {
    if (projects.length === 0) throw outside(folders);
    // To name a cold wing is to search it.
    const without = filter.without?.filter(({ wing, room }) => room !== undefined || !wings.includes(wing));
    return { filter: { ...filter, without, projects }, preferred: [], notes: [] };
  }
  if (projects.length === 0 || !palace.reading.hasOthersToo(projects)) return alike;
  const note = `preferring this project (${wings.map(line).join(', ')}); ${cure}`;
  return { filter, preferred: projects, notes: [note] };
}

function outside(folders: readonly string[]): UserError {
  return new UserError(
    'not-found',
    `no filed project contains ${folders.map(line).join(', ') || 'this folder'}`,
    {
      hint: 'file the project with mempalace-docs, or search without this restriction',
    },
  );
}
