import { NOTICE, quotable } from '../../core/outside.js';
import { knownErrors } from '../../knowledge/patterns/errors.js';
import { wakeUp as woken } from '../../reading/wake-up.js';
import type { RecurringError } from '../../reading/wake-up-text.js';
import { projectsAround } from '../../search/here.js';
import type { OwnFolders, Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';

/** Lines about errors, at most. */
const MOST_ERRORS = 3;

/** The overview for an agent at the start of a session. @param before lines that precede it, within its budget */
export function wakeUp(
  palace: Palace,
  { around, within, ...asked }: Input<'wakeUp'>,
  before?: readonly string[],
): Output<'wakeUp'> {
  if (within !== undefined) return inWing(palace, { ...asked, wing: within, strict: true }, before, []);
  if (around === undefined) {
    const roots = palace.projects.all().filter(({ wing }) => wing === asked.wing);
    return inWing(
      palace,
      asked,
      before,
      roots.map(({ root }) => root),
    );
  }
  const projects = projectsAround(palace.projects.all(), around.locations);
  for (const { wing, folders } of projects) {
    const own = { folders: [], trees: folders };
    const told = inWing(palace, { ...asked, wing, own }, before, folders);
    if (told.holdings.length > 0) return told;
  }
  const trees = [...around.checkouts, ...projects.flatMap(({ folders }) => folders)];
  return inWing(palace, { ...asked, wing: undefined, own: { folders: around.folders, trees } }, before, [
    ...new Set([...around.folders, ...trees]),
  ]);
}

/** @param folders whose errors are told */
function inWing(
  palace: Palace,
  {
    wing,
    without = [],
    strict = false,
    patterns = true,
    own,
    ...asked
  }: Omit<Input<'wakeUp'>, 'around' | 'within'> & { strict?: boolean; own?: OwnFolders },
  before: readonly string[] | undefined,
  folders: readonly string[],
): Output<'wakeUp'> {
  const result = woken(palace, {
    ...asked,
    before,
    // A cold wing that is asked for is told.
    place: {
      wing,
      strict,
      own,
      without: without.filter((cold) => cold.room !== undefined || cold.wing !== wing),
    },
    identity: asked.identity,
    errors: patterns ? errorsIn(palace, folders) : [],
    now: Date.now(),
    notice: `memory (${NOTICE})`,
    clean: (text) => quotable(text),
  });
  return { ...result, ...(wing !== undefined && { wing }) };
}

function errorsIn(palace: Palace, folders: readonly string[]): RecurringError[] {
  const found = folders.flatMap((folder) => knownErrors(palace, folder, MOST_ERRORS));
  const rank = ({ fix, sessions }: RecurringError) => (fix === null ? 0 : 1e9) + sessions;
  return found.sort((one, other) => rank(other) - rank(one)).slice(0, MOST_ERRORS);
}
