/** Which project a search is restricted to, or prefers. */
import { CHECKPOINT_ROOM, SUMMARY_ROOM } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { line } from '../../core/outside.js';
import { projectsAround } from '../../search/index.js';
import { type Ranking, takesPreference } from '../../search/options.js';
import type { DrawerFilter, Palace, ProjectPlace } from '../../store/index.js';

/** Where the client works. */
export interface Around {
  /** True: only its project; false: everywhere alike; undefined: it is preferred, unless the filter names a place. */
  here?: boolean | undefined;
  /** As the client names them, for a message. */
  folders: readonly string[];
  locations: Parameters<typeof projectsAround>[1];
}

/** A filter by one of these names a place: the user has chosen, and nothing is preferred. */
const PLACES = ['wing', 'room', 'source', 'session', 'directory', 'file'] as const;

/**
 * Restricts a search to the filed project that contains the user's folders, or prefers it.
 *
 * @throws UserError `not-found` for `here` when no folder is in a filed project
 */
export function scopeOf(
  palace: Palace,
  { filter = {}, around, ranking }: { filter?: DrawerFilter; around?: Around | undefined; ranking: Ranking },
): { filter: DrawerFilter; preferred: ProjectPlace[] } {
  const alike = { filter, preferred: [] };
  if (around === undefined || around.here === false) return alike;
  const isPlaced = PLACES.some((place) => filter[place] !== undefined);
  if (around.here === undefined && (isPlaced || !takesPreference(ranking))) return alike;
  const projects = projectsAround(palace.projects.all(), around.locations);
  if (around.here === true) {
    if (projects.length === 0) throw outside(around.folders);
    const wings = projects.map(({ wing }) => wing);
    // To name a cold wing is to search it.
    const without = filter.without?.filter(({ wing, room }) => room !== undefined || !wings.includes(wing));
    return { filter: { ...filter, without, projects }, preferred: [] };
  }
  const isNarrower = projects.length > 0 && palace.reading.hasOthersToo(projects);
  return isNarrower ? { filter, preferred: projects } : alike;
}

/**
 * A search finds checkpoints and summaries only if its filter names them, by type, room or drawer: they repeat what their
 * sessions say. A palace that contains none is searched without the condition.
 */
export function withoutDerived(palace: Palace, filter: DrawerFilter): DrawerFilter {
  const { type, room = '', drawers } = filter;
  const isNamed =
    type !== undefined || [CHECKPOINT_ROOM, SUMMARY_ROOM].includes(room) || drawers !== undefined;
  return isNamed || !palace.sources.anyDerived() ? filter : { ...filter, derived: false };
}

const outside = (folders: readonly string[]): UserError =>
  new UserError('not-found', `no filed project contains ${folders.map(line).join(', ') || 'this folder'}`, {
    hint: 'file the project with mempalace-docs, or search without this restriction',
  });
